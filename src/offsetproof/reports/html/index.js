// The index: claims with their answers as tiles, and filters. All text is set as text.
const report = JSON.parse(document.getElementById("data").textContent);
const MOST = Math.log10(2e8);

const pageOf = (name) => `${encodeURIComponent(name)}.html`;
const fixesOf = (answer) => [...answer.fixes, ...answer.remedies.flatMap((remedy) => remedy.parts.filter((part) => part.kind === "fix").map((part) => part.name))];
const SHADES = { holds: "good", refuted: "bad", unknown: "odd" };

function tile(answer, several) {
  const name = several ? `${answer.case} of ${answer.release}` : answer.case;
  const mark = answer.as_expected ? "" : " (not as expected)";
  const lines = [element("b", {}, element("bdi", {}, name)), element("span", {}, element("bdi", {}, answer.scope)), element("span", {}, `${answer.word}, ${answer.size}${mark}`)];
  const classes = `tile ${SHADES[answer.verdict]}${answer.as_expected ? "" : " unexpected"}`;
  const made = answer.page ? element("a", { class: classes, href: pageOf(answer.page) }, ...lines) : element("div", { class: classes }, ...lines);
  const strength = Math.min(1, Math.log10(Math.max(1, answer.states || 1)) / MOST);
  made.style.borderWidth = `${1 + Math.round(4 * strength)}px`;
  return element("li", {}, made);
}

// States by depth: a bar for each level, wide ones for shallow spaces.
function levelsOf(answer) {
  const levels = answer.levels;
  if (levels.length < 3) return null;
  const most = Math.max(...levels);
  const width = Math.max(2, Math.min(8, Math.floor(240 / levels.length)));
  const said = `${levels.length} levels: ${most.toLocaleString("en")} states at most, at depth ${levels.indexOf(most)}`;
  const svg = drawn("svg", { class: "levels", width: width * levels.length, height: 34, role: "img", "aria-label": said });
  levels.forEach((states, depth) => {
    const height = Math.max(1, Math.round((32 * states) / most));
    svg.append(drawn("rect", { x: depth * width, y: 34 - height, width: width - (width > 3 ? 1 : 0), height }));
  });
  return element("figure", { class: "levels" }, svg, element("figcaption", { class: "small quiet" }, said));
}

function repairs(answer) {
  if (!answer.remedies.length) return answer.no_remedy;
  return answer.remedies.map((remedy) => {
    const given = remedy.parts.filter((part) => part.kind === "given");
    const first = remedy.parts.filter((part) => part.kind !== "given").map((part) => `${part.kind} ${part.name}`);
    const words = [...first, ...(given.length ? [`given ${given.map((part) => part.name).join(", ")}`] : [])];
    return `${words.join(", ")} (${remedy.where})`;
  }).join("; or ");
}

function detailsOf(claim) {
  const made = element("details", {}, element("summary", {}, `${claim.answers.length} answer${claim.answers.length > 1 ? "s" : ""} in detail`));
  made.addEventListener("toggle", () => {
    if (made.open && made.children.length === 1) made.append(tableOf(claim));
  });
  return made;
}

function tableOf(claim) {
  const names = ["case", "where", "verdict", "how far", "witnesses", "what repairs it"];
  const body = element("tbody", {}, ...claim.answers.map((answer) => {
    const story = answer.page ? element("a", { href: pageOf(answer.page) }, answer.case) : answer.case;
    const additions = [...answer.fixes.map((name) => `fix ${name}`), ...answer.assumptions.map((name) => `assuming ${name}`)].join(", ");
    const where = element("td", {}, element("div", {}, answer.where), element("div", {}, `scope ${answer.scope}`), element("div", { class: "quiet small" }, answer.bounds), element("div", { class: "small" }, additions));
    const verdict = element("td", {}, element("b", { class: answer.verdict === "refuted" ? "fails" : "" }, answer.word), element("div", { class: "small" }, answer.expectation), element("div", { class: "small" }, answer.effect || ""), element("div", { class: "small" }, answer.disagreement || ""));
    const far = element("td", {}, `${answer.size}; ${answer.method}; ${answer.seconds} s`, levelsOf(answer), ...answer.details.map((line) => element("div", { class: "small quiet" }, line)));
    const witnesses = element("td", {}, ...answer.witnesses.map((witness) => element("div", {}, witness.page ? element("a", { href: pageOf(witness.page) }, witness.id) : witness.id, witness.reached ? " reached" : " NOT reached")));
    const why = answer.why ? element("div", { class: "small quiet" }, `because ${answer.why}`) : null;
    return element("tr", {}, element("th", { scope: "row" }, story), where, verdict, far, witnesses, element("td", {}, repairs(answer), why));
  }));
  const head = element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)));
  return element("table", {}, element("thead", {}, head), body);
}

const rows = [];
function build(claims, place) {
  if (!place) return;
  for (const claim of claims) {
    const several = new Set(claim.answers.map((answer) => answer.release)).size > 1;
    const words = element("div", {}, element("h3", {}, element("bdi", {}, claim.name)), element("p", { class: "small" }, claim.sentence), element("p", { class: "small quiet" }, `${report.subject === claim.subject ? "" : `${claim.subject}; `}${claim.kind}; about ${claim.about}`));
    const tiles = element("ul", { class: "heat" }, ...claim.answers.map((answer) => tile(answer, several)));
    const row = element("div", { class: "claim-row" }, words, tiles, detailsOf(claim));
    place.append(row);
    rows.push({ claim, row, tiles });
  }
}

function fill(id, values) {
  for (const value of [...new Set(values)].sort()) byId(id).append(element("option", { value }, value));
}

const every = [...report.claims, ...report.witnesses];
const VERDICTS = ["verdict", "about", "fix", "words"];
function filter() {
  const [verdict, about, fix, words] = VERDICTS.map((id) => byId(id).value);
  const wanted = words.trim().toLowerCase();
  let seen = 0;
  for (const { claim, row, tiles } of rows) {
    const text = [claim.name, claim.sentence, ...claim.answers.flatMap((answer) => [answer.case, answer.where, answer.scope, answer.why, answer.symptom])].join(" ").toLowerCase();
    const fits = (!about || claim.about === about) && (!wanted || text.includes(wanted));
    const kept = claim.answers.map((answer) => fits && (!verdict || answer.word === verdict) && (!fix || fixesOf(answer).includes(fix)));
    kept.forEach((keep, place) => { tiles.children[place].hidden = !keep; });
    row.hidden = !kept.includes(true);
    seen += row.hidden ? 0 : 1;
  }
  byId("count").textContent = `${seen} of ${rows.length} shown`;
  const given = new URLSearchParams(VERDICTS.map((id) => [id, byId(id).value]).filter(([, value]) => value));
  const address = given.size ? `#${given}` : location.pathname;
  if (location.hash.slice(1) !== String(given)) history.replaceState(null, "", address);
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const id of VERDICTS) byId(id).value = given.get(id) || "";
  filter();
}

build(report.claims, byId("claim-rows"));
build(report.witnesses, byId("witness-rows"));
fill("verdict", every.flatMap((claim) => claim.answers.map((answer) => answer.word)));
fill("about", every.map((claim) => claim.about));
fill("fix", every.flatMap((claim) => claim.answers.flatMap(fixesOf)));
for (const id of VERDICTS) byId(id).addEventListener("input", filter);
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", readAddress);
readAddress();
