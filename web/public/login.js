// Turns the one-time secret behind `#` into a cookie, and leaves no trace of it in the history.
const say = document.getElementById("say");
const ticket = location.hash.slice(1);
history.replaceState(null, "", "/login");

async function enter() {
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

if (ticket) {
  say.textContent = "Logging in…";
  enter().catch(() => {
    say.textContent = "The server does not answer. Start it, then run:";
  });
}
