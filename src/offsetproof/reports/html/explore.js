// The explorer's page: a walk by the names of its steps, what its end looks like, and what can be done there.
const known = JSON.parse(document.getElementById("data").textContent);
let world = known.world;
let story = "";
let walk = known.walk;
let at = known.at;
let branches = [];
let moment = null;
let graph = null;
let asked = 0;
let isBusy = false;
let shown = null;

async function ask(question, about) {
  const answer = await fetch(`/${question}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Offsetproof-Token": known.token },
    body: JSON.stringify({ world: story, begins: walk.begins, ...about }),
  });
  const data = await answer.json();
  if (data.refused !== undefined) throw new Error(data.refused);
  return data;
}

function say(text, isBad = false) {
  byId("says").textContent = text;
  byId("says").className = `small ${isBad ? "fails" : "quiet"}`;
}

// Asks, and shows what was asked last; what a slower answer would show is over by then. Where the model does not go that
// way, all is as it was shown before.
async function show(keepsWords = false) {
  asked += 1;
  isBusy = true;
  const mine = asked;
  try {
    const found = await ask("moment", { steps: walk.steps, at });
    if (mine !== asked) return;
    moment = { ...found, choices: byActor(found.choices).flatMap(([, choices]) => choices) };
    if (!keepsWords) say("");
    shown = { story, world, walk, at, branches, graph, moment };
    draw();
  } catch (error) {
    if (mine !== asked) return;
    restore();
    say(error instanceof TypeError ? "The program that serves this page has been stopped." : error.message, true);
  } finally {
    if (mine === asked) isBusy = false;
  }
}

function restore() {
  if (shown) ({ story, world, walk, at, branches, graph, moment } = shown);
  if (byId("stories")) byId("stories").value = story;
}

// The walk so far as another branch, unless the walk now goes that way as well.
function keep(former) {
  const isPrefix = !former.steps.length || (former.begins === walk.begins && former.steps.every((step, place) => walk.steps[place] === step));
  const isSame = (other) => JSON.stringify(other) === JSON.stringify(former) || JSON.stringify(other) === JSON.stringify(walk);
  branches = [...(isPrefix ? [] : [former]), ...branches.filter((other) => !isSame(other))];
}

function keepAddress() {
  const address = `#${new URLSearchParams({ story, begins: walk.begins, at, steps: JSON.stringify(walk.steps) })}`;
  if (location.hash !== address) history.replaceState(null, "", address);
  sessionStorage.setItem("walks", JSON.stringify({ story, walk, branches }));
}

// The walks of this tab before it was loaded again become branches, where they are of the same world.
function keepFormer() {
  const former = JSON.parse(sessionStorage.getItem("walks") || "null");
  if (!former || former.story !== story) return;
  branches = former.branches;
  keep(former.walk);
}

async function enter(name, then) {
  asked += 1;
  isBusy = true;
  const mine = asked;
  const former = story;
  story = name;
  try {
    const data = await ask("world", {});
    if (mine !== asked) return;
    [world, walk, at, branches, graph] = [data.world, data.walk, 0, [], null];
    if (then) then();
    byId("graph").open = false;
    await show();
  } catch (error) {
    story = former;
    restore();
    isBusy = false;
    say(error.message, true);
    if (!shown) await show(true);
  }
  if (byId("stories")) byId("stories").value = story;
}

function take(name) {
  if (isBusy) return;
  if (walk.steps[at] !== name) {
    const former = walk;
    walk = { ...walk, steps: [...walk.steps.slice(0, at), name] };
    keep(former);
  }
  go(at + 1);
}

function go(number) {
  at = Math.max(0, Math.min(walk.steps.length, number));
  return show();
}

const claimOf = (id) => world.claims[id];
const whoTakes = (step) => (step.thread === step.actor ? step.actor : `${step.actor}, ${step.thread}`);

const beginning = (place) => world.beginnings[place] || `beginning ${place}`;

function marks(step) {
  return step.shows.flatMap((id) => {
    const claim = claimOf(id);
    return [" ", element("b", { class: claim.witness ? "holds" : "fails", title: claim.about }, `${claim.witness ? "reaches" : "breaks"} ${claim.title}`)];
  });
}

function drawWalk() {
  const list = byId("walk");
  const rows = [element("li", {}, element("button", at === 0 ? { "aria-current": "step" } : {}, "0  ", beginning(walk.begins)))];
  moment.steps.forEach((step, place) => {
    const button = element("button", { title: step.name, ...(at === place + 1 ? { "aria-current": "step" } : {}) }, `${place + 1}  `);
    button.append(element("span", { class: "quiet" }, `${whoTakes(step)}: `), step.fault ? "fault: " : "", element("bdi", {}, step.words || step.name));
    rows.push(element("li", { class: place + 1 > at ? "ahead" : "" }, button, ...marks(step)));
  });
  rows.forEach((row, number) => row.firstChild.addEventListener("click", () => go(number)));
  list.replaceChildren(...rows);
  rows[at].scrollIntoView({ block: "nearest" });
  for (const [id, end] of [["first", 0], ["back", 0], ["next", walk.steps.length], ["last", walk.steps.length]]) byId(id).disabled = at === end;
  const others = branches.map((branch) => {
    const { begins, steps } = branch;
    const fork = begins === walk.begins ? Math.max(0, steps.findIndex((step, place) => walk.steps[place] !== step)) : 0;
    const where = begins === walk.begins ? "" : `${beginning(begins)}: `;
    const button = element("button", {}, `${steps.length} step${steps.length === 1 ? "" : "s"}, ${where}from step ${fork + 1}: ${steps[fork] || "none"}`);
    button.addEventListener("click", () => {
      const former = walk;
      walk = branch;
      keep(former);
      go(fork);
    });
    return element("li", {}, button);
  });
  byId("branches").replaceChildren(...(others.length ? [element("h3", { class: "small" }, "Other branches"), element("ol", { class: "walk" }, ...others)] : []));
}

// Choices in groups, in the order in which they are listed and numbered.
function byActor(choices) {
  const groups = new Map();
  for (const choice of choices) groups.set(choice.actor, [...(groups.get(choice.actor) || []), choice]);
  return [...groups];
}

function drawChoices() {
  const groups = byActor(moment.choices).map(([actor, choices]) => {
    const rows = choices.map((choice) => {
      const place = moment.choices.indexOf(choice);
      const button = element("button", { "data-name": choice.name, ...(choice.error ? { disabled: "" } : {}) }, place < 9 ? element("kbd", {}, String(place + 1)) : "");
      button.append(choice.thread === actor ? "" : element("span", { class: "quiet" }, ` ${choice.thread}: `), choice.fault ? " fault: " : " ", element("bdi", {}, choice.words || choice.name));
      // The second click of a double click falls on a list that may have changed under it.
      button.addEventListener("click", (event) => event.detail > 1 || take(choice.name));
      const error = choice.error ? element("b", { class: "fails" }, ` the model goes wrong: ${choice.error}`) : "";
      return element("li", {}, button, " ", element("code", { class: "quiet" }, choice.name), ...marks(choice), error);
    });
    return element("section", { "aria-label": actor }, element("h3", { class: "small" }, element("bdi", {}, actor)), element("ol", { class: "walk" }, ...rows));
  });
  byId("actors").replaceChildren(...(groups.length ? groups : [element("p", {}, "Nothing: no action is enabled here.")]));
  const left = Object.entries(moment.faults_left).map(([fault, times]) => `${fault} ${times}`);
  const notes = [moment.cut.length ? `A bound of the scope forbids: ${moment.cut.join(", ")}.` : "", left.length ? `Faults left: ${left.join(", ")}.` : ""];
  byId("cut").textContent = notes.filter(Boolean).join(" ");
}

function drawPanel() {
  const parts = [heading(at ? `After step ${at}` : "The beginning")];
  if (at) parts.push(element("p", { class: "says" }, element("bdi", {}, moment.steps[at - 1].words || moment.steps[at - 1].name)));
  if (moment.queues) {
    moment.queues.forEach((queue, place) => parts.push(queueOf(queue, at ? moment.queues_before[place] : null)));
    const used = new Set(moment.queues.flatMap((queue) => queue.cells));
    const legend = element("p", { class: "small quiet" });
    for (const [mark, words] of Object.entries(known.marks)) if (used.has(mark)) legend.append(element("span", { class: `key ${mark}` }), `${words}. `);
    parts.push(legend);
  }
  if (at) parts.push(...(moment.changed.length ? [heading("What changed"), tableOfChanges(moment.changed)] : [element("p", { class: "quiet" }, "No field changed.")]));
  parts.push(heading("Claims"), claimsNow());
  byId("panel").replaceChildren(...parts);
  byId("fields").querySelector("tbody").replaceChildren(
    ...Object.entries(moment.values).map(([path, value]) => element("tr", {}, element("td", { class: "code" }, ...breakable(path)), element("td", { class: "code" }, value))),
  );
}

// Broken claims and reached witnesses by name; of the others how many there are.
function claimsNow() {
  const telling = Object.entries(moment.truths).filter(([id, truth]) => truth === claimOf(id).witness);
  const list = element("ul", { class: "small" });
  for (const [id] of telling) {
    const claim = claimOf(id);
    list.append(element("li", { title: claim.about }, element("bdi", {}, claim.title), " ", element("b", { class: claim.witness ? "holds" : "fails" }, claim.witness ? "is reached" : "is false")));
  }
  const told = Object.entries(moment.truths).filter(([id, truth]) => truth === true && !claimOf(id).witness).length;
  const unknown = Object.values(moment.truths).filter((truth) => truth === null).length;
  list.append(element("li", { class: "quiet" }, `${told} claim${told === 1 ? " is" : "s are"} true here`));
  if (unknown) list.append(element("li", { class: "quiet" }, `${unknown} cannot be asked here: made for other scopes`));
  for (const sentence of world.unwatched) list.append(element("li", { class: "quiet" }, element("bdi", {}, sentence)));
  return list;
}

function drawWorld() {
  const parts = [world.release ? `release ${world.release}` : "", `scope ${world.scope}${world.bounds ? ` (${world.bounds})` : ""}`];
  parts.push(...world.fixes.map((name) => `fix ${name}`), ...world.assumptions.map((name) => `assuming ${name}`), world.listener ? `listener ${world.listener}` : "");
  byId("world").replaceChildren(...parts.filter(Boolean).flatMap((text) => [element("span", { class: "badge" }, text), " "]));
  byId("beginning").hidden = world.beginnings.length < 2;
  byId("beginnings").replaceChildren(...world.beginnings.map((words, place) => element("option", { value: place }, words)));
  if (world.beginnings_left_out) byId("beginnings").append(element("option", { disabled: "" }, `and ${world.beginnings_left_out} more, in the graph`));
  byId("beginnings").value = walk.begins;
}

async function openGraph() {
  if (!byId("graph").open || graph) return drawGraph();
  byId("graph-says").textContent = "Exploring...";
  const of = story;
  const found = await ask("graph", {}).catch((error) => ({ refused: error.message }));
  if (of === story) graph = found;
  return drawGraph();
}

// Where the walk is in the graph: its beginnings come first, and a step leads over the edge of its name.
function placesWalked() {
  const places = [walk.begins];
  for (const name of walk.steps) {
    const edge = graph.edges.find(([from, , action]) => from === places[places.length - 1] && action === name);
    if (!edge) break;
    places.push(edge[1]);
  }
  return places;
}

function drawGraph() {
  if (!graph || !byId("graph").open) return;
  if (!graph.nodes) {
    byId("graph-says").textContent = graph.refused || `This world has more than ${graph.too_large} states; graphs are drawn of smaller ones (--scope, --bound).`;
    byId("nodes").replaceChildren();
    return;
  }
  const places = placesWalked();
  byId("graph-says").textContent = `${graph.nodes.length} states, ${graph.edges.length} steps; a row for each depth; a thick red ring: a claim is false there. A state that is chosen is walked to by the shortest way.`;
  const rows = [];
  graph.nodes.forEach((node, number) => (rows[node.depth] = [...(rows[node.depth] || []), number]));
  const widest = Math.max(...rows.map((row) => row.length));
  const [gap, down] = [Math.max(22, Math.min(64, 1200 / widest)), 56];
  const spot = new Map();
  rows.forEach((row, depth) => row.forEach((number, place) => spot.set(number, [gap * ((widest - row.length) / 2 + place + 0.7), down * (depth + 0.6)])));
  const svg = drawn("svg", { width: gap * (widest + 0.5), height: down * (rows.length + 0.3), role: "group", "aria-label": "The reachable states" });
  const walked = new Set(places.slice(1).map((place, index) => `${places[index]} ${place}`));
  for (const [from, to, name] of graph.edges) {
    const [[x1, y1], [x2, y2]] = [spot.get(from), spot.get(to)];
    const bend = y2 > y1 ? 0 : 26;
    const line = drawn("path", { d: `M${x1} ${y1} Q${(x1 + x2) / 2 + bend} ${(y1 + y2) / 2} ${x2} ${y2}`, class: `edge${walked.has(`${from} ${to}`) ? " walked" : ""}` });
    line.append(drawn("title", {}));
    line.firstChild.textContent = name;
    svg.append(line);
  }
  graph.nodes.forEach((node, number) => {
    const [x, y] = spot.get(number);
    const isAt = places.length > at && places[at] === number;
    const said = node.breaks.length ? `${node.state}; breaks ${node.breaks.join(", ")}` : node.state;
    const classes = ["node", places.includes(number) && "walked", isAt && "chosen", node.breaks.length && "broken"];
    const group = drawn("g", { class: classes.filter(Boolean).join(" "), tabindex: 0, role: "button", "aria-label": `state ${number}: ${said}` });
    group.append(drawn("circle", { cx: x, cy: y, r: 9 }), drawn("title", {}), drawn("text", { x, y }));
    group.children[1].textContent = said;
    group.children[2].textContent = number;
    const choose = () => walkTo(number);
    group.addEventListener("click", choose);
    group.addEventListener("keydown", (event) => (event.key === "Enter" ? choose() : null));
    svg.append(group);
  });
  byId("nodes").replaceChildren(svg);
}

// The shortest way to a state: nodes are numbered breadth first, so the first edge into one is on such a way.
function walkTo(number) {
  const steps = [];
  let place = number;
  while (graph.nodes[place].depth > 0) {
    const [from, , name] = graph.edges.find(([one, to]) => to === place && graph.nodes[one].depth === graph.nodes[place].depth - 1);
    steps.unshift(name);
    place = from;
  }
  const former = walk;
  walk = { begins: place, steps };
  keep(former);
  go(steps.length);
}

function draw() {
  drawWorld();
  drawWalk();
  drawChoices();
  drawPanel();
  drawGraph();
  keepAddress();
}

async function save() {
  try {
    const trace = await ask("trace", { steps: walk.steps.slice(0, at) });
    const link = element("a", { href: URL.createObjectURL(new Blob([`${JSON.stringify(trace, null, 2)}\n`], { type: "application/json" })), download: `${known.subject.replace(/[^\w-]/g, "-")}-walk.json` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`Saved ${link.download}: ${trace.property.name}, ${at} step${at === 1 ? "" : "s"}. offsetproof show reads it.`);
  } catch (error) {
    say(error.message, true);
  }
}

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || ["SELECT", "INPUT"].includes(event.target.tagName)) return;
  const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: walk.steps.length };
  if (event.key in moves) {
    event.preventDefault();
    go(moves[event.key]);
  } else if (/^[1-9]$/.test(event.key) && moment && moment.choices[event.key - 1] && !moment.choices[event.key - 1].error) take(moment.choices[event.key - 1].name);
}

function listen() {
  for (const [id, move] of [["first", () => 0], ["back", () => at - 1], ["next", () => at + 1], ["last", () => walk.steps.length]]) byId(id).addEventListener("click", () => go(move()));
  byId("save").addEventListener("click", save);
  byId("graph").addEventListener("toggle", openGraph);
  if (byId("stories")) byId("stories").addEventListener("change", (event) => enter(event.target.value));
  byId("beginnings").addEventListener("change", (event) => {
    const former = walk;
    [walk, at] = [{ begins: Number(event.target.value), steps: [] }, 0];
    if (former.steps.length) keep(former);
    show();
  });
  document.addEventListener("keydown", onKey);
}

// An address with a walk leads there; one that is damaged leads to the beginning.
async function begin() {
  const told = new URLSearchParams(location.hash.slice(1));
  let steps = null;
  try {
    steps = JSON.parse(told.get("steps") || "null");
  } catch {
    say("The address has no walk that can be read.", true);
  }
  if (!Array.isArray(steps)) return show(true);
  const arrive = () => {
    const begins = Number(told.get("begins"));
    walk = { begins: Number.isInteger(begins) ? begins : 0, steps: steps.map(String) };
    at = Math.max(0, Math.min(steps.length, Math.trunc(Number(told.get("at"))) || 0));
    keepFormer();
  };
  const [whole, first] = [walk, world];
  if (told.get("story")) await enter(told.get("story"), arrive);
  else {
    arrive();
    await show();
  }
  if (moment) return null;
  [story, world, walk, at, branches] = ["", first, whole, 0, []];
  return show(true);
}

listen();
begin();
