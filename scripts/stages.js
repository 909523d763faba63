// Runs named stages one after another and prints how long each took. After a failure, continues
// with the stages that do not need the failed one.

const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;

/** Runs each stage: `{name, run, needs?: names}`, of which `run` may return a remark for the report, such as
 * the names of unsteady tests. Returns whether all passed. */
export async function stages(list) {
  const results = new Map();
  for (const [index, stage] of list.entries()) {
    const { name, needs = [] } = stage;
    console.log(`\n── ${index + 1}/${list.length} ${name}`);
    const blocked = needs.find((need) => results.get(need)?.ok === false);
    if (blocked) {
      results.set(name, { ok: false, words: `not run: it needs ${blocked}` });
      continue;
    }
    const from = performance.now();
    try {
      const remark = (await stage.run()) ?? "";
      results.set(name, { ok: true, words: seconds(from) + remark });
    } catch (error) {
      console.error(error.message);
      results.set(name, { ok: false, words: `failed after ${seconds(from)}`, said: error.said });
    }
  }
  return report(results);
}

function report(results) {
  const rows = [...results];
  const width = Math.max(...rows.map(([name]) => name.length));
  console.log();
  for (const [name, { ok, words }] of rows) {
    console.log(`${ok ? "✓" : "✗"} ${name.padEnd(width)}  ${words}`);
  }
  const failed = rows.filter(([, { ok }]) => !ok).length;
  for (const [name, { said = [] }] of rows) {
    // Repeated at the end, because many logs are truncated at the beginning.
    if (said.length > 0) console.log(`\n── ${name} failed, and said:\n${said.join("\n")}`);
  }
  console.log(`stages: ${rows.length - failed} passed, ${failed} failed`);
  return failed === 0;
}
