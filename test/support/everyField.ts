import { FIELDS, type Routing, type RoutingField } from "../../provider/routing/routing";

/** Two values of each field, as a program writes them and as they are saved. */
const VALUES: { readonly [Name in RoutingField]: readonly [NonNullable<Routing[Name]>, NonNullable<Routing[Name]>] } = {
  accountSid: ["sid", "another"],
  workspaceId: [42, 43],
  outboundAgentId: ["agent_a", "agent_b"],
  outboundAgentVersion: [3, 4],
  inboundAgents: [{ "agent_a@1": 70, "agent_b@2": 30 }, { agent_b: 1 }],
  inboundWebhookUrl: ["https://hook.example/a", "https://hook.example/b"],
  isTimeRoutingEnabled: [true, false],
  extraFields: [{ c: [1] }, { c: [2] }],
};

/** The value of one field of the table, or another one. */
export const exampleOf = <Name extends RoutingField>(field: Name, which: 0 | 1 = 0): NonNullable<Routing[Name]> =>
  VALUES[field][which];

/** A routing that declares every field of the table. */
export const everyField = (which: 0 | 1 = 0): Required<Routing> =>
  Object.fromEntries(
    (Object.keys(FIELDS) as RoutingField[]).map((field) => [field, exampleOf(field, which)]),
  ) as Required<Routing>;
