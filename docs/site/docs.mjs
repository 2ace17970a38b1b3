/** Search and copying. The pages are whole without it; text is only ever put in as text. */
import { openIndex } from "./search.mjs";

const RESULTS_MAX = 12;
const COPIED_MS = 2000;

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function addCopyButton(block) {
  const button = make("button", { type: "button", textContent: "Copy" });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector("code").textContent.trimEnd());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied";
    }
    setTimeout(() => (button.textContent = "Copy"), COPIED_MS);
  });
  block.append(button);
}

let index;
/** Fetched when somebody is about to search, and again only if that failed. */
async function fetchIndex() {
  index ??= fetch("/docs/search.json").then(async (answer) => {
    if (!answer.ok) throw new Error(`the index answers ${answer.status}`);
    return openIndex(await answer.text());
  });
  try {
    return await index;
  } catch (error) {
    index = undefined;
    throw error;
  }
}

const input = document.querySelector("#_search");
const results = document.querySelector("#_results");
const status = make("p", { role: "status" });
const list = make("ul");
results.append(status, list);

const links = () => [...list.querySelectorAll("a")];

function close() {
  results.hidden = true;
}

function show(sentence, found = []) {
  status.textContent = sentence;
  list.replaceChildren(
    ...found.map(({ id, title, page, excerpt }) => {
      const where = title === page ? excerpt : `${page} · ${excerpt}`;
      return make(
        "li",
        {},
        make(
          "a",
          { href: id },
          make("strong", { textContent: title }),
          make("small", { textContent: where }),
        ),
      );
    }),
  );
  results.hidden = false;
}

async function search() {
  const wanted = input.value.trim();
  if (wanted === "") return close();
  try {
    const opened = await fetchIndex();
    if (input.value.trim() !== wanted) return;
    const found = opened.search(wanted);
    if (found.length === 0) return show(`Nothing is found for “${wanted}”.`);
    const words = found.length === 1 ? "1 result" : `${found.length} results`;
    show(
      found.length > RESULTS_MAX ? `${words}, the best ${RESULTS_MAX}` : words,
      found.slice(0, RESULTS_MAX),
    );
  } catch {
    show("The search is not available right now.");
  }
}

/** Down and up through the input and what was found, around. */
function move(step) {
  const stops = [input, ...links()];
  const place = stops.indexOf(document.activeElement);
  stops.at((place + step) % stops.length).focus();
}

function onKey(event) {
  if (event.key === "ArrowDown" && !results.hidden) move(1);
  else if (event.key === "ArrowUp" && !results.hidden) move(-1);
  else if (event.key === "Enter" && event.target === input && !event.isComposing) links()[0]?.click();
  else if (event.key === "Escape" && !results.hidden) {
    close();
    input.focus();
  } else return;
  event.preventDefault();
}

const area = input.closest("search");
area.hidden = false;
input.addEventListener("focus", () => void fetchIndex().catch(() => undefined));
input.addEventListener("input", () => void search());
area.addEventListener("keydown", onKey);
area.addEventListener("focusout", ({ relatedTarget }) => {
  if (!area.contains(relatedTarget)) close();
});
// A section of this very page: nothing is loaded, so the list would stay.
list.addEventListener("click", close);
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});

/** Where the list of pages scrolls by itself, it shows where one is. */
function showPlace() {
  const pages = document.querySelector(".pages");
  const current = pages.querySelector("[aria-current]");
  if (current) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
}

showPlace();
for (const block of document.querySelectorAll(".code")) addCopyButton(block);
