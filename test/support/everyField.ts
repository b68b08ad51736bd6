import { FIELDS, type Routing, type RoutingField, type ValueType } from "../../provider/routing/fields";

/** Two values of each kind, as a program writes them and as they are saved. */
const VALUES: { readonly [Kind in ValueType]: readonly [unknown, unknown] } = {
  text: ["sid", "another"],
  integer: [42, 43],
  agent: ["agent_a", "agent_b"],
  version: [3, 4],
  split: [{ "agent_a@1": 70, "agent_b@2": 30 }, { agent_b: 1 }],
  url: ["https://hook.example/a", "https://hook.example/b"],
  flag: [true, false],
  json: [{ c: [1] }, { c: [2] }],
};

/** The value of one field of the table, or another one. */
export const exampleOf = <Name extends RoutingField>(field: Name, which: 0 | 1 = 0): NonNullable<Routing[Name]> =>
  VALUES[FIELDS[field].value][which] as NonNullable<Routing[Name]>;

/** A routing that declares every field of the table. */
export const everyField = (which: 0 | 1 = 0): Required<Routing> =>
  Object.fromEntries(
    (Object.keys(FIELDS) as RoutingField[]).map((field) => [field, exampleOf(field, which)]),
  ) as Required<Routing>;
