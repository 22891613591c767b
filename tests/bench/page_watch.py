"""What is measured within a page, by a script that is there before the page's own.

Times are those of the page's clock; `epoch` puts them beside the clock of other programs.
"""

from __future__ import annotations

SCRIPT = """
(() => {
  const bench = { keys: [], seen: [], clicks: [], gaps: [], heap: 0, over: 0, row: null }
  window.__bench = bench
  // A message posted in a frame arrives when that frame has been handed on to be shown.
  const afterFrame = (act) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => { act(performance.now()); port1.close() }
    port2.postMessage(0)
  }
  const shown = bench.shown = () =>
    Array.from(document.querySelectorAll(".xterm-rows"), (rows) => rows.textContent).join("")

  // The page's policy refuses the expressions that Playwright would wait for.
  bench.until = (check) => new Promise((done) => {
    const look = () => { if (check()) done(true); else setTimeout(look, 20) }
    look()
  })

  // Typing: for each key from its event to the end of the frame whose rows contain it.
  let wanted = ""
  bench.expect = (text) => { wanted = text; bench.keys = []; bench.seen = [] }
  addEventListener("keydown", (e) => { if (wanted) bench.keys.push(e.timeStamp) }, true)
  const look = () => {

    if (marker && shown().includes(marker)) {
      marker = ""
      afterFrame((at) => { bench.over = at })
    }
    if (!wanted) return
    const text = shown()
    for (let n = bench.seen.length; n < bench.keys.length; n++) {
      if (!text.includes(wanted.slice(0, n + 1))) break
      bench.seen.push(0)
      afterFrame((at) => { bench.seen[n] = at })
    }
  }

  // A flood: frames, the heap and clicks from one keydown until a text is shown.
  let marker = ""
  let began = 0
  bench.flood = (text) => {
    marker = text
    Object.assign(bench, { clicks: [], gaps: [], heap: 0, over: 0 })
    began = performance.now()
    let last = began
    const frame = (at) => {
      bench.gaps.push(at - last)
      last = at
      bench.heap = Math.max(bench.heap, performance.memory.usedJSHeapSize)
      if (!bench.over) requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  }
  bench.took = () => bench.over - began
  bench.button = () => {
    const button = document.createElement("button")
    button.id = "bench"
    button.style.cssText = "position:fixed;right:4px;bottom:4px;z-index:9999;width:60px;height:24px"
    button.textContent = "0"
    button.addEventListener("click", (e) => {
      button.textContent = String(bench.clicks.length)
      requestAnimationFrame(() => afterFrame((at) => { bench.clicks.push(at - e.timeStamp) }))
    })
    document.body.append(button)
  }

  // A row of the overview: when an agent is shown in a state.
  bench.await = (name, state) => new Promise((done) => {
    const there = () => Array.from(document.querySelectorAll(".agents tbody tr")).some((row) =>
      row.querySelector("td strong")?.textContent === name && row.querySelector(`.state-${state}`))
    bench.row = () => {
      if (!there()) return
      bench.row = null
      requestAnimationFrame(() => afterFrame((at) => done(performance.timeOrigin + at)))
    }
    bench.row()
  })
  new MutationObserver(() => {
    bench.row?.()
    if (!wanted && !marker) return
    look()
  }).observe(document, { subtree: true, childList: true, characterData: true })
})()
"""
