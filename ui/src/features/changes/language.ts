// The language of a file, by its name. Pure.

const BY_END: Readonly<Record<string, string>> = {
  bash: "bash",
  c: "c",
  cc: "cpp",
  cjs: "javascript",
  cpp: "cpp",
  cs: "csharp",
  css: "css",
  cts: "typescript",
  go: "go",
  h: "c",
  hpp: "cpp",
  htm: "xml",
  html: "xml",
  ini: "ini",
  java: "java",
  js: "javascript",
  json: "json",
  jsonc: "json",
  jsx: "javascript",
  kt: "kotlin",
  kts: "kotlin",
  less: "less",
  lua: "lua",
  m: "objectivec",
  markdown: "markdown",
  md: "markdown",
  mjs: "javascript",
  mk: "makefile",
  mts: "typescript",
  php: "php",
  pl: "perl",
  pm: "perl",
  py: "python",
  pyi: "python",
  r: "r",
  rb: "ruby",
  rs: "rust",
  scss: "scss",
  sh: "bash",
  sql: "sql",
  svelte: "xml",
  svg: "xml",
  swift: "swift",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  vb: "vbnet",
  vue: "xml",
  wat: "wasm",
  xml: "xml",
  yaml: "yaml",
  yml: "yaml",
  zsh: "bash",
};

const BY_NAME: Readonly<Record<string, string>> = {
  "cargo.lock": "ini",
  dockerfile: "bash",
  gemfile: "ruby",
  gnumakefile: "makefile",
  justfile: "makefile",
  makefile: "makefile",
  rakefile: "ruby",
};

export function languageOf(path: string): string | null {
  const name = (path.split("/").at(-1) ?? "").toLowerCase();
  const end = name.includes(".") ? (name.split(".").at(-1) ?? "") : "";
  const own = (table: Readonly<Record<string, string>>, key: string) =>
    Object.hasOwn(table, key) ? (table[key] ?? null) : null;
  return own(BY_NAME, name) ?? own(BY_END, end);
}
