import { OPERATIONS, operationText } from "../../provider/client/operationTable";
import type { Cause } from "../../provider/core/platform/operations";
import { type Declaration, type Member, need } from "./declarations";
import { code, linked, page, sectionLink, table } from "./markdown";
import { type Columns, defaultOf, meaning, memberTable, RESOURCE_PAGES } from "./resourcePages";

/** The client without Pulumi: its options, operations, responses and failures. */

export const operations = Object.entries(OPERATIONS).map(([name, operation]) => ({
  ...operation,
  name,
  request: `${name.charAt(0).toUpperCase()}${name.slice(1)}Request`,
}));

const ANSWERS = ["NumberAnswer", "NumberRecord", "AssignmentAnswer", "ChatMessage", "WeightedAgent"];
const FAILURES = ["Failure", "Exchange", "PlatformError"];

const CAUSES: Readonly<Record<Cause, string>> = {
  refused: "the platform refused it: by its status, or with `success: false`",
  unauthenticated: "401",
  forbidden: "403",
  notFound: "404",
  rateLimited: "429 for longer than the deadline allows",
  redirected: "3xx: never followed",
  proxy: "the proxy opened no connection to the platform: nothing was sent",
  unreachable: "no connection: nothing was sent",
  tls: "the connection cannot be trusted: nothing was sent",
  serverError: "5xx",
  noAnswer: "sent, and then silence, a reset or half a response",
  unusable: "a response that cannot be used: not JSON, too large, or without an id",
};

/** A field without words of its own has those of the argument or output of the same name. */
const WORDS_FROM: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    RESOURCE_PAGES.flatMap(({ request, args }) => (request === undefined ? [] : [[request, [args]]])),
  ),
  NumberRecord: ["NumberAssignmentArgs", "PlatformIds"],
  AssignmentAnswer: ["NumberAssignmentArgs"],
  WeightedAgent: ["InboundAgentArgs"],
};

const CLIENT_EXAMPLE = [
  "```ts",
  'import { createClient } from "pulumi-agent-platform";',
  "",
  'const client = createClient({ baseUrl: "https://platform.example.com", accessToken: () => process.env.TOKEN ?? "" });',
  "",
  "export async function assign(number: string): Promise<string> {",
  '  const outcome = await client.assignNumber({ number, inboundAgents: [{ agentId: "agent_front", weight: 1 }] });',
  '  return outcome.outcome === "applied" ? "applied" : outcome.failure.detail;',
  "}",
  "```",
].join("\n");

const OUTCOME_EXAMPLE = [
  "```ts",
  'import { type Client, PlatformError, unwrap } from "pulumi-agent-platform";',
  "",
  "export async function remind(client: Client, toNumber: string): Promise<string> {",
  '  const agent = { workspaceId: 42, agentId: "chat_agent_reminder", fromNumber: "+15551234567" };',
  "  try {",
  "    const chat = unwrap(await client.createSmsChat({ ...agent, toNumber }));",
  '    return chat?.chatId ?? "started";',
  "  } catch (error) {",
  "    // Nobody knows whether the SMS was sent. Look before you send it again.",
  '    if (error instanceof PlatformError && error.outcome === "unknown") return "to be looked at";',
  "    throw error;",
  "  }",
  "}",
  "```",
].join("\n");

export function clientPage(): string {
  return page(
    "# createClient",
    "Sends the operations of the API without Pulumi. `createClient` throws an `InvalidOptionsError` if its options are not valid. An operation rejects with an `InvalidRequestError` if its request cannot be sent. It does not throw because of a response: that is what the outcome is for.",
    CLIENT_EXAMPLE,
    "## Options",
    memberTable("Option", need("ClientOptions").members, { Meaning: meaning, Default: defaultOf }),
    "## Operations",
    table(
      ["Method", "Request", "Interface"],
      operations.map(({ name, request, ...operation }) => [
        code(name),
        code(request),
        `${sectionLink(operation.section, "../interface.md")} ${code(operationText(operation))}`,
      ]),
    ),
    'Each resolves with `{ outcome: "applied", answer, issues, exchange }`, `{ outcome: "rejected", failure }` or `{ outcome: "unknown", failure }`. If the outcome is unknown, a PUT is sent again and a POST is not.',
    "### unwrap(outcome)",
    need("unwrap").doc.text,
    OUTCOME_EXAMPLE,
    "## Requests",
    "A field that you leave out is not sent. `null` is sent as null.",
    ...operations.flatMap(({ request }) =>
      fieldParts(need(request), { Required: ({ isRequired }) => (isRequired ? "yes" : "") }),
    ),
    "## Responses",
    "`voiceId` and `chatId` are always there. Every other field may be absent or null. [The interface](../interface.md) gives names and types, and seldom a meaning.",
    "A voice has the fields of [CommunityVoice's outputs](community-voice.md#outputs) from `voiceId` on; a chat has those of [SmsChat's outputs](sms-chat.md#outputs) from `chatId` on, and `agentId`, `metadata` and `serviceDynamicVariables`.",
    ...ANSWERS.flatMap(answerParts),
    "## Failures",
    ...FAILURES.flatMap(answerParts),
    "### Cause",
    table(
      ["Cause", "Why it was not applied, or is not known to be"],
      Object.entries(CAUSES).map(([cause, meaning]) => [code(cause), meaning]),
    ),
  );
}

/** Every field of a response may be absent or null, so its type does not say so. Inherited fields are shown with the type that they come from. */
function answerParts(name: string): string[] {
  const answer = need(name);
  const inherited = answer.bases.flatMap((base) => need(base).members).map((member) => member.name);
  const own = answer.members.filter((member) => !inherited.includes(member.name));
  const [heading = "", text = "", rows = ""] = fieldParts({
    ...answer,
    members: own.map((member) => ({ ...member, type: member.type.replace(" | null", "") })),
  });
  const others = inherited.length === 0 ? "" : `And the fields of ${answer.bases.map(code).join(", ")}.`;
  return [heading, text, rows, others];
}

const fieldParts = ({ name, doc, members }: Declaration, columns: Columns = {}): string[] => [
  `### ${name}`,
  linked(doc.text),
  memberTable("Field", members, { ...columns, Meaning: (member) => meaning(member) || wordsFrom(name, member) }),
];

export function wordsFrom(owner: string, { name }: Pick<Member, "name">): string {
  const others = (WORDS_FROM[owner] ?? []).flatMap((other) => need(other).members);
  return (
    others
      .filter((other) => other.name === name)
      .map(meaning)
      .find(Boolean) ?? ""
  );
}
