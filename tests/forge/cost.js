// What a query costs, by GitHub's published formula: for each connection, how many nodes it is fetched for; the
// sum divided by 100 and rounded, at least 1.
// https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
import { getNamedType, valueFromASTUntyped } from "graphql";
import { schema } from "./schema.js";

/** Returns the cost of a document with its variables. */
export function cost(document, variables) {
  return Math.max(1, Math.round(sum(document, variables) / 100));
}

/** Returns the number of requests by the formula. */
export function sum({ definitions }, variables) {
  const operation = definitions.find(({ kind }) => kind === "OperationDefinition");
  const fragment = (name) =>
    definitions.find((one) => one.kind === "FragmentDefinition" && one.name.value === name);
  const value = (node) => valueFromASTUntyped(node, variables);
  const argument = (field, name) => {
    const found = field.arguments.find((one) => one.name.value === name);
    return found && value(found.value);
  };
  const isIncluded = ({ directives }) =>
    directives.every(({ name, arguments: [test] }) =>
      name.value === "include" ? value(test.value) : !value(test.value),
    );
  let requests = 0;
  const walk = (type, { selections }, times) => {
    for (const one of selections.filter(isIncluded)) {
      if (one.kind === "FragmentSpread") {
        const { typeCondition, selectionSet } = fragment(one.name.value);
        walk(schema.getType(typeCondition.name.value), selectionSet, times);
      } else if (one.kind === "InlineFragment") {
        walk(schema.getType(one.typeCondition.name.value), one.selectionSet, times);
      } else if (one.selectionSet) {
        const inner = getNamedType(type.getFields()[one.name.value].type);
        const isConnection = inner.name.endsWith("Connection");
        if (isConnection) requests += times;
        const size =
          argument(one, "first") ?? argument(one, "last") ?? argument(one, "ids")?.length;
        walk(inner, one.selectionSet, times * (size ?? 1));
      }
    }
  };
  walk(schema.getQueryType(), operation.selectionSet, 1);
  return requests;
}
