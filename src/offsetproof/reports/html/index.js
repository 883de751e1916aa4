// The index: claims with their answers as tiles, and filters. All text is set as text.
const MOST = Math.log10(2e8);
const BARS = 400;

const fixesOf = (answer) => [...answer.fixes, ...answer.remedies.flatMap((remedy) => remedy.parts.filter((part) => part.kind === "fix").map((part) => part.name))];
const SHADES = { holds: "good", refuted: "bad", unknown: "odd" };

function tile(answer, several) {
  const name = several ? `${answer.case} of ${answer.release}` : answer.case;
  const mark = answer.as_expected ? "" : " (not as expected)";
  const lines = [element("b", {}, element("bdi", {}, name)), element("span", {}, element("bdi", {}, answer.scope)), element("span", {}, `${answer.word}, ${answer.size}${mark}`), ...answer.unspent.map((line) => element("span", {}, line))];
  const classes = `tile ${SHADES[answer.verdict]}${answer.as_expected ? "" : " unexpected"}`;
  const made = answer.page ? element("a", { class: classes, href: pageOf(answer.page) }, ...lines) : element("div", { class: classes }, ...lines);
  const strength = Math.min(1, Math.log10(Math.max(1, answer.states || 1)) / MOST);
  made.style.borderWidth = `${1 + Math.round(4 * strength)}px`;
  return element("li", {}, made);
}

const largest = (numbers) => numbers.reduce((one, other) => Math.max(one, other), 0);
const counted = (number) => number.toLocaleString("en");

// States by depth: a bar for each level, wide ones for shallow spaces; for very deep ones a bar for as many levels as it
// takes, as high as the highest of them.
function levelsOf(answer) {
  const levels = answer.levels;
  if (levels.length < 3) return null;
  const most = largest(levels);
  const each = Math.ceil(levels.length / BARS);
  const bars = Array.from({ length: Math.ceil(levels.length / each) }, (_, place) => levels.slice(place * each, (place + 1) * each));
  const width = Math.max(bars.length > 200 ? 1 : 2, Math.min(8, Math.floor(240 / bars.length)));
  const joined = each > 1 ? `; each bar is the maximum of up to ${each} levels` : "";
  const said = `${counted(levels.length)} levels: ${counted(most)} states at most, at depth ${counted(levels.indexOf(most))}${joined}`;
  const svg = drawn("svg", { class: "levels", width: width * bars.length, height: 34, role: "img", "aria-label": said });
  bars.forEach((those, place) => {
    const states = largest(those);
    const height = Math.max(1, Math.round((32 * states) / most));
    const bar = drawn("rect", { x: place * width, y: 34 - height, width: width - (width > 3 ? 1 : 0), height });
    bar.append(drawn("title", {}));
    bar.firstChild.textContent = titleOf(place * each, those.length, states);
    svg.append(bar);
  });
  return element("figure", { class: "levels" }, svg, element("figcaption", { class: "small quiet" }, said));
}

function titleOf(first, levels, states) {
  const words = `${counted(states)} state${states === 1 ? "" : "s"}`;
  return levels === 1 ? `level ${counted(first)}: ${words}` : `levels ${counted(first)} to ${counted(first + levels - 1)}: ${words} at most`;
}

function repairs(answer) {
  if (!answer.remedies.length) return answer.no_remedy;
  const where = new Map();
  for (const remedy of answer.remedies) {
    const given = remedy.parts.filter((part) => part.kind === "given");
    const first = remedy.parts.filter((part) => part.kind !== "given").map((part) => `${part.kind} ${part.name}`);
    const words = [...first, ...(given.length ? [`given ${given.map((part) => part.name).join(", ")}`] : [])].join(", ");
    where.set(words, [...(where.get(words) || []), remedy.where]);
  }
  return [...where].map(([words, those]) => `${words} (${those.join("; ")})`).join("; or ");
}

function detailsOf(claim) {
  const made = element("details", {}, element("summary", {}));
  made.addEventListener("toggle", () => {
    if (!made.open || made.children.length > 1) return;
    made.append(tableOf(claim));
    filter();
  });
  return made;
}

// Shows the answers that are kept: their tiles, and their rows where there is a table of them.
function showKept({ row, tiles, details }, kept) {
  const lines = [...details.querySelectorAll("tbody > tr")];
  const number = kept.filter(Boolean).length;
  for (const places of [[...tiles.children], lines]) places.forEach((each, place) => { each.hidden = !kept[place]; });
  details.firstChild.textContent = `${number < kept.length ? `${number} of ` : ""}${kept.length} answer${kept.length > 1 ? "s" : ""} in detail`;
  row.hidden = !number;
}

function tableOf(claim) {
  const names = ["case", "where", "verdict", "how far", "witnesses", "what repairs it"];
  const body = element("tbody", {}, ...claim.answers.map((answer) => {
    const story = answer.page ? element("a", { href: pageOf(answer.page) }, answer.case) : answer.case;
    const where = element("td", {}, element("div", {}, answer.where), element("div", {}, `scope ${answer.scope}`), element("div", { class: "quiet small" }, answer.bounds), element("div", { class: "small" }, answer.additions));
    const verdict = element("td", {}, element("b", { class: answer.verdict === "refuted" ? "fails" : "" }, answer.word), element("div", { class: "small" }, answer.expectation), element("div", { class: "small" }, answer.effect || ""), element("div", { class: "small" }, answer.disagreement || ""));
    const far = element("td", {}, `${answer.size}; ${answer.method}; ${answer.seconds} s`, levelsOf(answer), ...answer.details.map((line) => element("div", { class: "small quiet" }, line)));
    const witnesses = element("td", {}, ...answer.witnesses.map((witness) => element("div", {}, witness.page ? element("a", { href: pageOf(witness.page) }, witness.id) : witness.id, witness.reached ? " reached" : " NOT reached")));
    const why = answer.why ? element("div", { class: "small quiet" }, `because ${answer.why}`) : null;
    const cells = [element("th", { scope: "row" }, story), where, verdict, far, witnesses, element("td", {}, repairs(answer), why)];
    cells.forEach((cell, place) => cell.setAttribute("data-name", names[place]));
    return element("tr", {}, ...cells);
  }));
  const head = element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)));
  return element("table", { class: "answers" }, element("thead", {}, head), body);
}

const rows = [];
function build(claims, place) {
  if (!place) return;
  for (const claim of claims) {
    const several = new Set(claim.answers.map((answer) => answer.release)).size > 1;
    const words = element("div", {}, element("h4", {}, element("bdi", {}, claim.name)), element("p", { class: "small" }, claim.sentence), element("p", { class: "small quiet" }, `${report.subject === claim.subject ? "" : `${claim.subject}; `}${claim.kind}; about ${claim.about}`));
    const tiles = element("ul", { class: "heat" }, ...claim.answers.map((answer) => tile(answer, several)));
    const details = detailsOf(claim);
    const row = element("div", { class: "claim-row" }, words, tiles, details);
    place.append(row);
    rows.push({ claim, row, tiles, details });
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
  const seen = [];
  for (const each of rows) {
    const { claim } = each;
    const text = [claim.name, claim.sentence, ...claim.answers.flatMap((answer) => [answer.case, answer.where, answer.scope, answer.why, answer.symptom])].join(" ").toLowerCase();
    const fits = (!about || claim.about === about) && (!wanted || text.includes(wanted));
    const kept = claim.answers.map((answer) => fits && (!verdict || answer.word === verdict) && (!fix || fixesOf(answer).includes(fix)));
    showKept(each, kept);
    seen.push(kept.filter(Boolean).length);
  }
  const answers = rows.reduce((sum, { claim }) => sum + claim.answers.length, 0);
  const claims = report.witnesses.length ? "claims and witnesses" : "claims";
  byId("count").textContent = `${seen.reduce((sum, number) => sum + number, 0)} of ${answers} answers, in ${seen.filter(Boolean).length} of ${rows.length} ${claims}`;
  const given = new URLSearchParams(VERDICTS.map((id) => [id, byId(id).value]).filter(([, value]) => value));
  const address = given.size ? `#${given}` : location.pathname;
  if (location.hash.slice(1) !== String(given)) history.replaceState(null, "", address);
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const id of VERDICTS) byId(id).value = given.get(id) || "";
  filter();
}

buildSymptoms();
build(report.claims, byId("claim-rows"));
build(report.witnesses, byId("witness-rows"));
fill("verdict", every.flatMap((claim) => claim.answers.map((answer) => answer.word)));
fill("about", every.map((claim) => claim.about));
fill("fix", every.flatMap((claim) => claim.answers.flatMap(fixesOf)));
for (const id of VERDICTS) byId(id).addEventListener("input", filter);
for (const form of document.querySelectorAll("form")) form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", readAddress);
readAddress();
