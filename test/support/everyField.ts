import { FIELDS, type Routing, type RoutingField } from "../../provider/routing/routing";

/** Two example values for each field. Each value has the same form in a program as in the saved state. */
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

/** Returns the first or second example value of a field. */
export const exampleOf = <Name extends RoutingField>(field: Name, index: 0 | 1 = 0): NonNullable<Routing[Name]> =>
  VALUES[field][index];

/** Returns a routing in which every field has its first or second example value. */
export const everyField = (index: 0 | 1 = 0): Required<Routing> =>
  Object.fromEntries(
    (Object.keys(FIELDS) as RoutingField[]).map((field) => [field, exampleOf(field, index)]),
  ) as Required<Routing>;
