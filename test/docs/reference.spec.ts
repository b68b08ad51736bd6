import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import type { ZodObject } from "zod";
import { isOfNumbers, KINDS, postedAs, type ResourceKind } from "../../provider/config/kinds";
import { SETTINGS, type Settings } from "../../provider/config/settings";
import { hiddenShape, type Lifecycle } from "../../provider/run/resource";
import { CODES, type Code, fixOf } from "../../provider/words/codes";
import { need, root } from "../../tools/reference/declarations";
import { referencePages } from "../../tools/reference/pages";
import { CALLS } from "../api/support";
import { everyField } from "../support/everyField";
import { LIFECYCLES } from "../support/lifecycles";
import { CHAT, CONTEXT, POSTED_ARGS, VOICE } from "../support/posts";
import { settingsOf } from "../support/session";
import { sectionOf } from "./blocks";

const folder = join(root, "docs/reference");
const members = (name: string) => need(name).members;
const CODE_NAMES = Object.keys(CODES) as Code[];

describe("docs/reference", () => {
  it("matches the pages generated from the source code", () => {
    const generated = referencePages();
    assert.deepEqual(readdirSync(folder).sort(), [...generated.keys()].sort());
    for (const [file, text] of generated) {
      assert.equal(readFileSync(join(folder, file), "utf8"), text, `${file} is out of date: run \`npm run docs\``);
    }
  });

  for (const name of KINDS) {
    const args = `${name}Args`;
    it(`documents every argument of ${name}`, () => {
      const documented = members(args);
      const checked = Object.keys((LIFECYCLES[name].schema as ZodObject).shape).filter((key) => !(key in hiddenShape));
      assert.deepEqual(documented.map((member) => member.name).sort(), checked.sort());
      const without = (lacks: (member: (typeof documented)[number]) => boolean) =>
        documented.filter(lacks).map((member) => member.name);
      assert.deepEqual(
        without(({ doc }) => doc.text === ""),
        [],
      );
      assert.deepEqual(
        without(({ doc, isRequired }) => !isRequired && !doc.tags.default),
        [],
      );
      assert.deepEqual(
        without(({ doc }) => !/^(update|replaces|recorded|none)\b/.test(doc.tags.change ?? "")),
        [],
      );
    });

    it(`documents every output of ${name}`, () => {
      const known = new Set(members(args).map((member) => member.name));
      const undocumented = members(name).filter((member) => member.doc.text === "" && !known.has(member.name));
      assert.deepEqual(undocumented, []);
    });
  }

  it("lists every error code once, each with a remedy", () => {
    const page = referencePages().get("errors.md") ?? "";
    const lines = page.replace(/\[(`[^`]+`)\]\([^)]+\)/g, "$1").split("\n");
    for (const code of CODE_NAMES) {
      const remedies = lines.filter((line) => line.startsWith(`| ${code} |`)).map((row) => row.split(" | ").at(-1));
      assert.deepEqual(remedies, [`${fixOf(code)} |`], code);
      assert.match(fixOf(code), /\.$/);
    }
    assert.deepEqual(page.match(/^.*\S {2,}\S.*$/gm) ?? [], [], "a sentence is missing in these lines");
  });

  it("lists error remedies that occur only once in the source code", () => {
    const sources = execFileSync("git", ["ls-files", "provider", "cli"], { cwd: root, encoding: "utf8" });
    const text = sources
      .split("\n")
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(root, file), "utf8"))
      .join("\n")
      .replaceAll("\\`", "`");
    // Some remedies are functions that insert a name. Where the text has this placeholder, their source has a `${…}`.
    const name = "NAME";
    for (const code of CODE_NAMES) {
      const sentences = fixOf(code, name).split(/(?<=\.) (?=[A-Z])/);
      for (const sentence of sentences.filter((candidate) => candidate.split(" ").length > 4)) {
        const [first = "", ...rest] = sentence.split(name).map((part) => part.replace(/[^\w\s]/g, "\\$&"));
        const found = text.match(new RegExp([first, ...rest].join("\\$\\{\\w+\\}"), "g")) ?? [];
        assert.equal(found.length, 1, `${code} occurs ${found.length} times: ${sentence}`);
      }
    }
  });
});

describe("docs/interface.md", () => {
  it("describes each API operation in its own section", () => {
    const sections = Object.values(CALLS).map(({ operation }) => sectionOf(operation));
    assert.deepEqual(sections, ["4.1", "4.2", "4.3", "4.4"]);
  });
});

// --- the documented effect of a change, compared with the actual diff

const settings = {
  baseUrl: "https://platform.example",
  endpoint: "https://platform.example",
  workspaceId: 42,
  rollouts: { front: { stable: "agent_c" } },
  guards: { requireVersions: false, maxUnapproved: 0 },
} as unknown as Settings;

type Props = Record<string, unknown>;

const inboundAgents = [{ agentId: "agent_a", weight: 1 }];
/** Both number resources have this agent, because `outboundAgentVersion` requires `outboundAgentId`. */
const outbound = { outboundAgentId: "agent_before" };

const BEFORE: Readonly<Record<ResourceKind, Props>> = {
  NumberAssignment: { number: "4001", ...outbound, inboundAgents },
  NumberGroup: { numbers: ["4001"], ...outbound, inboundAgents },
  ...POSTED_ARGS,
};

/** A new value for each argument. For arguments that accept any string, the test uses `other`. */
const NEW_VALUES: Props = {
  // `everyField` returns a value for each routing field, including fields added later.
  ...everyField(1),
  inboundAgents: { agent_b: 1 },
  rollout: "front",
  triggers: ["again"],
  number: "4002",
  numbers: ["4001", "4002"],
  workspaceId: 43,
  actorType: "tenant_admin",
  agentId: "chat_agent_b",
  fromNumber: "+15551234560",
  toNumber: "+15551234561",
  metadata: { a: 1 },
  serviceDynamicVariables: { a: 1 },
  retryUnresolved: "unresolved-1",
};

function changeOf(kind: ResourceKind, before: Props, after: Props): "replaces" | "update" | "none" {
  const using = { ...settings, ...CONTEXT };
  const lifecycle = LIFECYCLES[kind] as Lifecycle<object, object>;
  const checked = [before, after].map((inputs) => lifecycle.check(undefined, inputs, using));
  assert.deepEqual(
    checked.flatMap(({ failures }) => failures),
    [],
  );
  const [olds = {}, news = {}] = checked.map(({ inputs }) => inputs);
  const { changes, replaces } = lifecycle.diff("id", { endpoint: settings.endpoint, ...olds }, news, using);
  const inPlace = changes ? "update" : "none";
  return replaces.length > 0 ? "replaces" : inPlace;
}

describe("the reference", () => {
  for (const kind of KINDS) {
    it(`documents the actual effect of changing each ${kind} argument`, () => {
      const before = BEFORE[kind];
      for (const { name, doc } of members(`${kind}Args`)) {
        // A resource can't have both `rollout` and `inboundAgents`.
        const kept = name === "rollout" ? { ...before, inboundAgents: undefined } : before;
        const actual = changeOf(kind, before, { ...kept, [name]: NEW_VALUES[name] ?? "other" });
        const documented = /^\w+/.exec(doc.tags.change ?? "")?.[0];
        const isRecorded = !isOfNumbers(kind) && postedAs(kind).recorded.includes(name);
        assert.equal(documented, isRecorded && actual === "update" ? "recorded" : actual, `${kind}.${name}`);
      }
    });
  }
});

describe("a resource after a settings change", () => {
  const before: Props = {
    baseUrl: "https://platform.example",
    accessToken: "token-one",
    workspaceId: 42,
    rollouts: { front: { stable: "agent_a@1", candidate: "agent_a@2", percent: 10 } },
  };
  /** A different value for each setting. */
  const changed = {
    baseUrl: "https://other.example",
    accessToken: "token-two",
    workspaceId: 43,
    rollouts: { front: { stable: "agent_a@1", candidate: "agent_a@2", percent: 20 } },
    clearWith: "empty",
    onMismatch: "warn",
    requestTimeout: 60,
    voiceHeaders: CONTEXT.voiceHeaders,
    weightTotal: 1,
    maxShift: 5,
    steps: [10, 100],
    requireVersions: true,
    approvedAgents: ["agent_a@1", "agent_a@2"],
    maxUnapproved: 5,
    maxRemove: 3,
    freeze: "release week",
  } satisfies Record<keyof typeof SETTINGS, unknown>;
  const { workspaceId: _, ...chat } = CHAT;
  const { workspaceId: __, ...voice } = VOICE;
  const resources = {
    NumberAssignment: { number: "+15551230001", rollout: "front" },
    SmsChat: chat,
    CommunityVoice: voice,
  } satisfies Partial<Record<ResourceKind, Props>>;

  /**
   * Returns what changing this setting does to each resource. The resources don't set the `workspaceId` argument, so
   * they use the setting of the same name.
   */
  function effectsOf(setting: string): string[] {
    const [old, next] = [
      settingsOf(before),
      settingsOf({ ...before, [setting]: changed[setting as keyof typeof changed] }),
    ];
    return Object.entries(resources).flatMap(([kind, args]) => {
      const lifecycle = LIFECYCLES[kind as ResourceKind] as Lifecycle<object, object>;
      const saved = { ...lifecycle.check(undefined, args, old).inputs, endpoint: old.endpoint };
      const { changes, replaces } = lifecycle.diff("id", saved, lifecycle.check(undefined, args, next).inputs, next);
      return changes ? [`${kind} ${replaces.length > 0 ? "is replaced" : "is updated"}`] : [];
    });
  }

  it("shows no diff unless baseUrl, workspaceId, rollouts or weightTotal changes", () => {
    assert.deepEqual(Object.keys(changed).sort(), Object.keys(SETTINGS).sort());
    const effects = Object.keys(SETTINGS).map((setting) => [setting, effectsOf(setting)] as const);
    assert.deepEqual(Object.fromEntries(effects.filter(([, found]) => found.length > 0)), {
      baseUrl: ["NumberAssignment is updated"],
      workspaceId: ["NumberAssignment is updated", "SmsChat is replaced", "CommunityVoice is replaced"],
      rollouts: ["NumberAssignment is updated"],
      weightTotal: ["NumberAssignment is updated"],
    });
  });
});
