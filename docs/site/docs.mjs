/** Search and copy buttons. The pages work without this script, and it never creates markup from text. */
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
      button.textContent = "Copied!";
    } catch {
      button.textContent = "Unable to copy";
    }
    setTimeout(() => (button.textContent = "Copy"), COPIED_MS);
  });
  block.append(button);
}

let index;
/** Fetches the index once, when the search field gets the focus; a failed request is repeated. */
async function fetchIndex() {
  index ??= fetch("/docs/search.json").then(async (response) => {
    if (!response.ok) throw new Error(`GET /docs/search.json returned ${response.status}`);
    return openIndex(await response.text());
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

function show(message, matches = []) {
  status.textContent = message;
  list.replaceChildren(
    ...matches.map(({ id, title, page, excerpt }) => {
      const context = title === page ? excerpt : `${page} · ${excerpt}`;
      return make(
        "li",
        {},
        make(
          "a",
          { href: id },
          make("strong", { textContent: title }),
          make("small", { textContent: context }),
        ),
      );
    }),
  );
  results.hidden = false;
}

async function search() {
  const query = input.value.trim();
  if (query === "") return close();
  try {
    const searchIndex = await fetchIndex();
    if (input.value.trim() !== query) return;
    const matches = searchIndex.search(query);
    if (matches.length === 0) return show(`No results for “${query}”.`);
    const count = matches.length === 1 ? "1 result" : `${matches.length} results`;
    show(
      matches.length > RESULTS_MAX ? `${count}, showing the best ${RESULTS_MAX}` : count,
      matches.slice(0, RESULTS_MAX),
    );
  } catch {
    show("Search is unavailable. Try again later.");
  }
}

/** Moves the focus through the search field and the results, and wraps around. */
function moveFocus(step) {
  const stops = [input, ...links()];
  const position = stops.indexOf(document.activeElement);
  stops.at((position + step) % stops.length).focus();
}

function onKey(event) {
  if (event.key === "ArrowDown" && !results.hidden) moveFocus(1);
  else if (event.key === "ArrowUp" && !results.hidden) moveFocus(-1);
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
// A link to a section of this page loads nothing, so the list has to be closed here.
list.addEventListener("click", close);
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});

/** Scrolls the list of pages to the current page. */
function scrollToCurrentPage() {
  const pages = document.querySelector(".pages");
  const current = pages.querySelector("[aria-current]");
  if (current) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
}

scrollToCurrentPage();
for (const block of document.querySelectorAll(".code")) addCopyButton(block);
