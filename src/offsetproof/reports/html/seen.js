// What somebody sees, at the head of the index: the symptoms, filtered by words of one's own. All text is set as text.
const report = JSON.parse(document.getElementById("data").textContent);
const pageOf = (name) => `${encodeURIComponent(name)}.html`;
const SEEN = ["seen", "kind", "seen-in"];
const ENOUGH = 0.5;

// Words, and pairs of characters where a script has no blanks.
function tokensOf(text) {
  const words = text.toLowerCase().match(/[\p{Script=Han}]+|[\p{L}\p{N}_]+/gu) || [];
  return words.flatMap((word) => (/\p{Script=Han}/u.test(word) && word.length > 2 ? Array.from({ length: word.length - 1 }, (_, place) => word.slice(place, place + 2)) : [word]));
}

const textOf = (row) => [row.says, row.kind, ...row.phrases, ...row.why].join(" ").toLowerCase();

// The share of the words that a row has.
function nearness(row, tokens) {
  if (!tokens.length) return 1;
  const text = textOf(row);
  return tokens.filter((token) => text.includes(token)).length / tokens.length;
}

const sentence = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function factsOf(row) {
  const facts = element("dl", {});
  const add = (name, ...values) => facts.append(element("dt", {}, name), ...values.map((value) => element("dd", {}, value)));
  add("where", row.where);
  add("costs", row.effect);
  if (row.now.length) {
    add("now", ...row.now.map((each) => element("span", {}, each.where ? `${each.where}: ` : "", each.words, " ", element("span", { class: "quiet small" }, `(${each.rests_on})`))));
  } else if (row.no_procedure) add("now", row.no_procedure);
  if (row.why.length) add("why", ...row.why);
  return facts;
}

function storiesOf(row) {
  const pages = row.pages.map((page) => element("a", { href: pageOf(page) }, page));
  const told = row.story && !row.pages.includes(row.story) ? [element("code", {}, `offsetproof show ${row.story}`)] : [];
  const [first, ...more] = [...pages, ...told];
  if (!first) return null;
  const rest = more.length ? element("details", { class: "small" }, element("summary", {}, `${more.length} more`), ...more.flatMap((each) => [each, " "])) : null;
  return element("p", { class: "stories" }, "story: ", first, rest);
}

function symptomRow(row) {
  return element("li", {}, element("h3", {}, element("bdi", {}, sentence(row.says)), row.kind ? element("span", { class: "badge" }, row.kind) : null), factsOf(row), storiesOf(row));
}

const symptomRows = report.symptoms.map((row) => ({ row, shown: symptomRow(row) }));

function filterSymptoms() {
  const [words, kind, release] = SEEN.map((id) => byId(id).value);
  const tokens = tokensOf(words);
  const near = symptomRows.map((each) => ({ ...each, near: nearness(each.row, tokens) }));
  const kept = near.filter(({ row, near: share }) => share >= ENOUGH && (!kind || row.kind === kind) && (!release || row.seen_in.includes(release)));
  kept.sort((one, other) => other.near - one.near);
  byId("symptoms").replaceChildren(...kept.map(({ shown }) => shown));
  byId("seen-count").textContent = kept.length ? `${kept.length} of ${symptomRows.length} symptoms` : "none; other words, or fewer of them, may find it";
}

function buildSymptoms() {
  if (!byId("symptoms")) return;
  fill("kind", report.symptoms.map((row) => row.kind).filter(Boolean));
  fill("seen-in", report.symptoms.flatMap((row) => row.seen_in));
  for (const id of SEEN) byId(id).addEventListener("input", filterSymptoms);
  filterSymptoms();
}
