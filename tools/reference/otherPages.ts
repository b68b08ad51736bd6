import { type Row, SETTINGS } from "../../provider/core/settings";
import type { Declaration, Member } from "./declarations";
import { code, linked, page, table } from "./markdown";
import { classText, meaning, need } from "./resourcePages";

/** The explicit provider, the helpers and the client. */

type Declarations = ReadonlyMap<string, Declaration>;

export function agentPlatformPage(declarations: Declarations): string {
  const settings: Readonly<Record<string, Row>> = SETTINGS;
  const rows = need(declarations, "AgentPlatformArgs").members.map((member) => {
    const setting = settings[member.name];
    return [
      code(member.name),
      code(member.type),
      meaning(member) || (setting?.meaning ?? ""),
      defaultOf(member, setting),
    ];
  });
  return page(
    "# AgentPlatform",
    classText(need(declarations, "AgentPlatform")),
    "Guide: [two-accounts.md](../guides/two-accounts.md). Exactly one of `accessToken` and `accessTokenEnv` must be given.",
    "## Arguments",
    table(["Argument", "Type", "Meaning", "Default"], rows),
    "A changed setting changes the provider in place. A changed `baseUrl`, or another name of the provider, is an update of every number under it, and never a new voice or chat.",
    "It has no outputs of its own.",
  );
}

function defaultOf({ isRequired }: Member, setting: Row | undefined): string {
  if (isRequired) return "required";
  return setting?.default === undefined ? "none" : code(String(setting.default));
}

const HELPERS_EXAMPLE = [
  "```ts",
  'import { canary, NumberAssignment, split } from "pulumi-agent-platform";',
  "",
  'const tried = canary("agent_front@12", "agent_front@13", 10);',
  'new NumberAssignment("tried", { number: "+15551234567", inboundAgents: tried });',
  'new NumberAssignment("shared", { number: "+15551234568", inboundAgents: split({ agent_day: 2, agent_night: 1 }) });',
  "```",
].join("\n");

export function helpersPage(declarations: Declarations): string {
  return page(
    "# Helpers",
    'Both give what `inboundAgents` takes. An agent is written `"agent_front@12"`, `"agent_front"` without a version, or `{ agentId, agentVersion }`. A slip in one throws in the program, with its line.',
    ...["canary", "split"].flatMap((name) => functionParts(need(declarations, name))),
    HELPERS_EXAMPLE,
  );
}

function functionParts({ name, doc, members }: Declaration): string[] {
  return [
    `## ${name}(${members.map((member) => member.name).join(", ")})`,
    doc.text,
    table(
      ["Parameter", "Type", "Meaning"],
      members.map((member) => [code(member.name), code(member.type), doc.params[member.name] ?? ""]),
    ),
    `Gives ${doc.tags.returns ?? ""}.`,
  ];
}

const OPERATIONS = [
  ["assignNumber", "AssignNumberRequest", "4.1", "`PUT /api/numbers/{number}/agent`"],
  ["createSmsChat", "CreateSmsChatRequest", "4.2", "`POST /api/chats/outbound-sms`"],
  ["addCommunityVoice", "AddCommunityVoiceRequest", "4.3", "`POST /api/voices/community`"],
  ["endChat", "EndChatRequest", "4.4", "`POST /api/chats/{chatId}/end`"],
] as const;

const ANSWERS = ["NumberAnswer", "NumberRecord", "AssignmentAnswer", "Voice", "Chat", "ChatMessage", "WeightedAgent"];
const FAILURES = ["Failure", "Exchange"];

/** Where a field has no words of its own, those of the argument or output of the same name hold. */
const WORDS_FROM: Readonly<Record<string, readonly string[]>> = {
  AssignNumberRequest: ["NumberAssignmentArgs"],
  NumberRecord: ["NumberAssignmentArgs", "PlatformIds"],
  AssignmentAnswer: ["NumberAssignmentArgs"],
  CreateSmsChatRequest: ["SmsChatArgs"],
  Chat: ["SmsChat", "SmsChatArgs"],
  AddCommunityVoiceRequest: ["CommunityVoiceArgs"],
  Voice: ["CommunityVoice"],
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

export function clientPage(declarations: Declarations): string {
  const optionRows = need(declarations, "ClientOptions").members.map((member) => [
    code(member.name),
    code(member.type),
    meaning(member),
    member.isRequired ? "required" : (member.doc.tags.default ?? ""),
  ]);
  return page(
    "# createClient",
    "The four operations without Pulumi. It throws where no client can be made of the options; the operations never throw for what the platform answers.",
    CLIENT_EXAMPLE,
    "## Options",
    table(["Option", "Type", "Meaning", "Default"], optionRows),
    "## Operations",
    table(
      ["Method", "Request", "Interface"],
      OPERATIONS.map(([method, request, section, path]) => [code(method), code(request), `${section} ${path}`]),
    ),
    'Each resolves with `{ outcome: "applied", answer, issues, exchange }`, `{ outcome: "rejected", failure }` or `{ outcome: "unknown", failure }`. A PUT is repeated on an unknown outcome; a POST never is.',
    "## Requests",
    "A field that is left out is not sent; `null` is sent as null.",
    ...OPERATIONS.flatMap(([, request]) => requestParts(need(declarations, request), declarations)),
    "## Answers",
    "Every field may be absent or null but `voiceId` and `chatId`. What a field means beyond its name, the interface does not show.",
    ...ANSWERS.flatMap((name) => answerParts(need(declarations, name), declarations)),
    "## Failures",
    ...FAILURES.flatMap((name) => answerParts(need(declarations, name), declarations)),
  );
}

function words(owner: Declaration, member: Member, declarations: Declarations): string {
  const said = meaning(member);
  if (said !== "") return said;
  const found = (WORDS_FROM[owner.name] ?? [])
    .flatMap((owner) => need(declarations, owner).members)
    .find(({ name, doc }) => name === member.name && doc.text !== "");
  return found === undefined ? "" : meaning(found);
}

const requestParts = (request: Declaration, declarations: Declarations): string[] => [
  `### ${request.name}`,
  linked(request.doc.text),
  table(
    ["Field", "Type", "Required", "Meaning"],
    request.members.map((member) => [
      code(member.name),
      code(member.type),
      member.isRequired ? "yes" : "",
      words(request, member, declarations),
    ]),
  ),
];

const answerParts = (answer: Declaration, declarations: Declarations): string[] => [
  `### ${answer.name}`,
  linked(answer.doc.text),
  table(
    ["Field", "Type", "Meaning"],
    answer.members.map((member) => [
      code(member.name),
      code(member.type.replace(" | null", "")),
      words(answer, member, declarations),
    ]),
  ),
];
