"use strict";

// The theme: the system's until the button is pressed; kept where the browser allows it.
(() => {
  const root = document.documentElement, button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Switch to light colours" : "Switch to dark colours");
    button.setAttribute("aria-pressed", String(dark()));
  };
  try {
    const kept = localStorage.getItem("theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch { /* storage is refused */ }
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* storage is refused */ }
    show();
  });
  system.addEventListener("change", show);
  show();
})();

// The replays.
(() => {
  const source = document.getElementById("replay-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const DRAW = data.places.length, WASTE = DRAW;  // the slot of the first waste card; the stock follows
  const CARD = { width: 52, height: 74, pitch: 59, drop: 42 };
  const at = (name) => document.getElementById(`r-${name}`);
  const replay = document.getElementById("replay"), board = at("board"), slider = at("slider");
  let deal, game, step = 0;

  // What lies where after so many moves of the game.
  function position(moves) {
    const gone = new Set();
    let waste = deal.cards[WASTE], drawn = 0;
    for (const { action } of game.moves.slice(0, moves)) {
      if (action === DRAW) waste = deal.cards[WASTE + ++drawn];
      else { gone.add(action); waste = deal.cards[action]; }
    }
    return { gone, waste, stock: deal.cards.length - WASTE - 1 - drawn };
  }

  const uncovered = (place, gone) => data.covers[place].every((cover) => gone.has(cover));
  const face = (card) => card === "*" ? "★" : card.replace("T", "10");
  const named = (action) => action === DRAW ? "draw" : face(deal.cards[action]);
  const did = (action) => action === DRAW ? "drew a card" : `removed ${face(deal.cards[action])}`;
  const points = (count) => `${signed(count)} point${count === 1 ? "" : "s"}`;
  const signed = (count) => String(count).replace("-", "−");
  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  function element(parent, name, attributes = {}, text = "") {
    const svg = parent instanceof SVGElement;
    const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== "") made.textContent = text;
    parent.append(made);
    return made;
  }

  function rect(kind, x, y, grow = 0) {
    const size = { width: CARD.width + 2 * grow, height: CARD.height + 2 * grow, rx: 6 + grow };
    return element(board, "rect", { class: kind, x: x - grow, y: y - grow, ...size });
  }

  function drawCard(card, x, y, kind) {
    rect(kind === "back" ? "b-back" : kind === "hidden" ? "b-hidden" : "b-card", x, y);
    if (kind === "back") return;
    const look = `b-rank${/[♦♥]/.test(card) ? " red" : ""}${kind === "hidden" ? " faint" : ""}`;
    element(board, "text", { class: look, x: x + CARD.width / 2, y: y + 27, "text-anchor": "middle" }, face(card));
  }

  function drawBoard() {
    const { gone, waste, stock } = position(step);
    const move = game.moves[step];
    const values = new Map(move ? move.values : []);
    const best = Math.max(...values.values());
    const mark = (action, x, y) => {
      if (!values.has(action)) return;
      rect(`b-mark ${values.get(action) === best ? "best" : "legal"}`, x, y, 1);
      if (action === move.action) rect("b-mark chosen", x, y, 5).dataset.action = action;
    };
    board.replaceChildren();
    let cards = 0;
    data.places.forEach(([column, row], place) => {
      if (gone.has(place)) return;
      cards += 1;
      const x = 9 + column * CARD.pitch, y = 9 + row * CARD.drop;
      const up = uncovered(place, gone);
      drawCard(deal.cards[place], x, y, up || data.open ? "face" : at("hidden").checked ? "hidden" : "back");
      mark(place, x, y);
    });
    const y = 226;
    if (stock) {
      const next = deal.cards[deal.cards.length - stock];
      drawCard(next, 9, y, at("hidden").checked ? "hidden" : "back");
      const look = at("hidden").checked ? "b-text" : "b-count";
      element(board, "text", { class: look, x: 9 + CARD.width / 2, y: y + 56, "text-anchor": "middle" }, stock);
    } else rect("b-empty", 9, y);
    mark(DRAW, 9, y);
    if (waste) drawCard(waste, 9 + 1.25 * CARD.pitch, y, "face");
    else rect("b-empty", 9 + 1.25 * CARD.pitch, y);
    const score = move ? move.score : game.score;
    element(board, "text", { class: "b-text", x: 166, y: y + 22 }, plural(stock, "card") + " in the stock");
    element(board, "text", { class: "b-text b-big", x: 166, y: y + 56 }, `score ${signed(score)}`);
    const left = `${plural(cards, "card")} on the board, ${stock} in the stock`;
    board.setAttribute("aria-label", `${left}, ${waste === "*" ? "a joker" : waste ? face(waste) : "nothing"} on the waste, score ${signed(score)}`);
  }

  function showStatus() {
    const move = game.moves[step], status = at("status");
    status.replaceChildren();
    const count = game.moves.length;
    if (!move) {
      const end = game.won ? "Won" : "Blocked";
      status.append(`End after ${plural(count, "move")}. ${end} with ${points(game.score)}; the best was ${signed(deal.optimum)}.`);
      return;
    }
    status.append(`Move ${step + 1} of ${count}: ${game.agent} ${did(move.action)}. `);
    if (move.values.length === 1) status.append("It was the only legal action.");
    else if (move.loss === 0) status.append("Nothing was better.");
    else element(status, "span", { class: "loss" }, `This lost ${points(move.loss)}.`);
  }

  function showValues() {
    const body = at("values").tBodies[0], move = game.moves[step];
    body.replaceChildren();
    if (!move) return;
    const best = Math.max(...move.values.map(([, value]) => value));
    for (const [action, value] of [...move.values].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
      const row = element(body, "tr", { "data-action": action });
      const name = element(row, "th", { scope: "row" }, named(action));
      if (action === move.action) {
        row.className = "chosen";
        element(name, "small", {}, " chosen");
      }
      element(row, "td", {}, signed(value));
      element(row, "td", value < best ? { class: "loss" } : {}, best - value);
    }
  }

  function showMoves() {
    at("moves").replaceChildren();
    game.moves.forEach((move, place) => {
      const loss = move.loss ? ` −${move.loss}` : "";
      const label = `Move ${place + 1}: ${did(move.action)}${move.loss ? `, lost ${points(move.loss)}` : ""}`;
      const look = { type: "button", class: move.loss ? "mistake" : "", "aria-label": label };
      element(element(at("moves"), "li"), "button", look, named(move.action) + loss).addEventListener("click", () => go(place));
    });
  }

  const nextMistake = () => game.moves.findIndex((move, place) => place > step && move.loss > 0);

  function go(to) {
    const count = game.moves.length;
    step = Math.min(Math.max(to, 0), count);
    slider.value = step;
    slider.setAttribute("aria-valuetext", step < count ? `move ${step + 1} of ${count}` : "end");
    drawBoard();
    showStatus();
    showValues();
    at("first").disabled = at("prev").disabled = step === 0;
    at("last").disabled = at("next").disabled = step === count;
    at("mistake").disabled = nextMistake() < 0;
    at("moves").querySelectorAll("button").forEach((button, place) => {
      if (place !== step) return button.removeAttribute("aria-current");
      button.setAttribute("aria-current", "step");
      const list = at("moves"), top = button.offsetTop - list.offsetTop;  // without scrolling the page
      if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 30) list.scrollTop = top - 40;
    });
  }

  function mistake() {
    const next = nextMistake();
    if (next >= 0) go(next);
  }

  function choose() {
    deal = data.deals[at("deal").selectedIndex];
    game = deal.games[at("agent").selectedIndex];
    const losses = game.moves.filter((move) => move.loss > 0).length;
    const best = deal.winnable ? `can be won with ${points(deal.optimum)}` : `cannot be won; the most is ${points(deal.optimum)}`;
    at("summary").textContent =
      `${deal.code} ${best}. ${game.agent}${game.oracle ? ", which sees all cards," : ""} ` +
      `${game.won ? "won" : "was blocked"} with ${points(game.score)} and made ${plural(losses, "mistake")}.`;
    slider.max = game.moves.length;
    showMoves();
    go(0);
  }

  function agents() {
    const before = Math.max(at("agent").selectedIndex, 0);
    at("agent").replaceChildren();
    for (const each of data.deals[at("deal").selectedIndex].games) {
      element(at("agent"), "option", {}, `${each.agent}: ${signed(each.score)}`);
    }
    at("agent").selectedIndex = before;
    choose();
  }

  for (const each of data.deals) element(at("deal"), "option", {}, `${each.code} (${each.reason})`);
  at("deal").addEventListener("change", agents);
  at("agent").addEventListener("change", choose);
  at("hidden").addEventListener("change", drawBoard);
  slider.addEventListener("input", () => go(Number(slider.value)));
  const actions = {
    first: () => go(0), prev: () => go(step - 1), next: () => go(step + 1), last: () => go(game.moves.length), mistake,
  };
  for (const [name, act] of Object.entries(actions)) at(name).addEventListener("click", act);
  const keys = { Home: "first", ArrowLeft: "prev", ArrowRight: "next", End: "last", m: "mistake", M: "mistake" };
  replay.addEventListener("keydown", (event) => {
    if (event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.key in keys)) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });
  replay.hidden = false;
  agents();
})();
