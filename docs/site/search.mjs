/** The index: the same for whoever builds it and for whoever reads it. */
import MiniSearch from "minisearch";

/** Words, and names such as SECRET_KEY both whole and in parts. */
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
  },
};

export const createIndex = () => new MiniSearch(options);
export const openIndex = (json) => MiniSearch.loadJSON(json, options);
