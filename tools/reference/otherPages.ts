import { type Row, SETTINGS } from "../../provider/core/settings";
import type { Declaration, Member } from "./declarations";
import { code, page, table } from "./markdown";
import { classText, meaning, need } from "./resourcePages";

/** The explicit provider and the helpers. */

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
    "A changed setting changes the provider in place. If `baseUrl` or the provider's name changes, every number under it is updated. No voice and no chat is sent again.",
    "It has no outputs of its own.",
  );
}

function defaultOf({ isRequired }: Member, setting: Row | undefined): string {
  if (isRequired) {
    return "required";
  }
  return setting?.default === undefined ? "none" : code(String(setting.default));
}

const HELPERS_EXAMPLE = [
  "```ts",
  'import { canary, NumberAssignment, split } from "pulumi-agent-platform";',
  "",
  'const inboundAgents = canary("agent_front@12", "agent_front@13", 10);',
  'new NumberAssignment("canary", { number: "+15551234567", inboundAgents });',
  'new NumberAssignment("day-and-night", { number: "+15551234568", inboundAgents: split({ agent_day: 2, agent_night: 1 }) });',
  "```",
].join("\n");

export function helpersPage(declarations: Declarations): string {
  return page(
    "# Helpers",
    'Both return a value for `inboundAgents`. Write an agent as `"agent_front@12"`, as `"agent_front"` without a version, or as `{ agentId, agentVersion }`. A mistake throws in the program, at its line.',
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
    `Returns ${doc.tags.returns ?? ""}.`,
  ];
}
