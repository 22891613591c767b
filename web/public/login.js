// Turns the one-time secret behind `#` into a cookie, and leaves no trace of it in the history.
const say = document.getElementById("say");

async function enter(ticket) {
  const answer = await fetch("/login", {
    method: "POST",
    headers: { "content-type": "application/json", "x-luvus": "1" },
    body: JSON.stringify({ ticket }),
  });
  if (answer.ok) {
    location.replace("/");
    return;
  }
  const problem = await answer.json();
  say.textContent = `${problem.message[0].toUpperCase()}${problem.message.slice(1)}:`;
}

function begin() {
  const ticket = location.hash.slice(1);
  history.replaceState(null, "", "/login");
  if (!ticket) return;
  say.textContent = "Logging in…";
  enter(ticket).catch(() => {
    say.textContent = "The server does not answer. Start it, then run:";
  });
}

begin();
// A link that is opened where this page is already shown loads nothing anew.
addEventListener("hashchange", begin);
