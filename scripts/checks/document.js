// What the architecture document names: files and folders, in backquotes.

/** Folders in other repositories are not checked. */
const isPlace = (text) =>
  !text.startsWith(".git/") &&
  /^[\w.-]+(\/[\w.{},-]+)*\/?$/.test(text) &&
  /\/|\.(rs|js|ts|svelte|ya?ml|md)$/.test(text);

/**
 * Returns the paths that a document names in backquotes. `a/{b,c}.rs` names two; words in capitals are
 * placeholders.
 */
export function named(text) {
  const quoted = [...text.replaceAll(/```.*?```/gs, "").matchAll(/`([^`\n]+)`/g)].map(
    ([, one]) => one,
  );
  return quoted
    .filter(isPlace)
    .filter((place) => !/[A-Z]{4,}/.test(place))
    .flatMap(spread);
}

function spread(place) {
  const found = /^(.*)\{([^}]*)\}(.*)$/.exec(place);
  if (!found) return [place];
  return found[2].split(",").map((one) => `${found[1]}${one.trim()}${found[3]}`);
}
