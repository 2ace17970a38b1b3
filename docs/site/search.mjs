/** The search index, with the same options for the build and for the browser. */
import MiniSearch from "minisearch";

/** Splits text into words. Names such as SECRET_KEY are indexed as a whole and in parts. */
const tokenize = (text) =>
  text
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((word) => (word.includes("_") ? [word, ...word.split("_")] : [word]))
    .filter(Boolean);

const options = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "excerpt"],
  tokenize,
  searchOptions: {
    boost: { title: 4, page: 2 },
    combineWith: "AND",
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    prefix: true,
    // The reference has many more sections than the guides, which explain what to do.
    boostDocument: (address) => (address.startsWith("/docs/api/") ? 0.5 : 1),
  },
};

export const createIndex = () => new MiniSearch(options);
export const openIndex = (json) => MiniSearch.loadJSON(json, options);
