// The types that Linear generates from its schema and publishes with its SDK: a schema itself is in no registry. Reads of each type
// what it says about a field.
import { readFileSync, readdirSync } from "node:fs";
import { isEnumType, isInputObjectType, isListType, isNonNullType, isScalarType } from "graphql";

const dist = new URL("../node_modules/@linear/sdk/dist/", import.meta.url);

/** The SDK's declarations, without comments. */
const text = readdirSync(dist)
  .filter((name) => name.endsWith(".d.mts"))
  .map((name) => readFileSync(new URL(name, dist), "utf8"))
  .join("\n")
  .replaceAll(/\/\*\*[\s\S]*?\*\//g, "");

/** Returns what is declared under a name: each field with its type; nothing if there is no such type. */
export function declared(name) {
  const start = new RegExp(String.raw`^(?:export )?type ${name} = (?:[\w]+ & )*\{$`, "m").exec(
    text,
  );
  if (start === null) return undefined;
  const from = start.index + start[0].length;
  const body = text.slice(from, text.indexOf("\n};", from));
  return new Map(
    [...body.matchAll(/^ {2}(\w+)\??: (.+);$/gm)].map(([, field, type]) => [
      field,
      type.replaceAll(/\s+/g, ""),
    ]),
  );
}

/** Returns the values of an enumeration. */
export function values(name) {
  const found = new RegExp(String.raw`enum ${name} \{([^}]*)\}`).exec(text);
  return found && [...found[1].matchAll(/= "(\w+)"/g)].map(([, value]) => value);
}

/** Returns a type as the SDK writes it. */
export function written(type, maybe = "Maybe") {
  if (!isNonNullType(type)) return `${maybe}<${inner(type, maybe)}>`;
  return inner(type.ofType, maybe);
}

function inner(type, maybe) {
  if (isListType(type)) return `Array<${written(type.ofType, maybe)}>`;
  return isScalarType(type) ? `Scalars["${type.name}"]` : type.name;
}

/** Returns the differences between a schema and what is published, each as a sentence. */
export function differences(schema) {
  const found = [];
  const compare = (place, wanted, type) => {
    if (wanted !== type) found.push(`${place}: ${type ?? "nothing"} instead of ${wanted}`);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith("__") || isScalarType(type)) continue;
    if (isEnumType(type)) {
      const known = values(type.name) ?? [];
      for (const { name } of type.getValues())
        compare(`${type.name}.${name}`, true, known.includes(name));
      continue;
    }
    const fields = declared(type.name);
    const maybe = isInputObjectType(type) ? "InputMaybe" : "Maybe";
    for (const field of Object.values(type.getFields())) {
      const place = `${type.name}.${field.name}`;
      compare(place, written(field.type, maybe), fields?.get(field.name));
      const name = field.name[0].toUpperCase() + field.name.slice(1);
      const given = field.args?.length > 0 ? declared(`${type.name}${name}Args`) : undefined;
      for (const { name: argument, type: wanted } of field.args ?? [])
        compare(`${place}(${argument})`, written(wanted, "InputMaybe"), given?.get(argument));
    }
  }
  return found;
}
