import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { KINDS } from "../provider/config/kinds";
import { exampleOf } from "../tools/reference/examples";
import type { Config } from "./support/engine";
import { byTarget, type PlatformStack, put, withPlatformStack } from "./support/platformStack";
import { repository } from "./support/repository";

/** Runs each program in examples/, and checks which requests it sends and what the platform stores. */

interface Example {
  readonly folder?: string;
  readonly config?: Readonly<Record<string, string>>;
  /** The method and path of each request that `up` sends, sorted. */
  readonly sent: readonly string[];
  /** Checks the platform after `up`. */
  readonly applied: (opened: PlatformStack) => void;
  /** Checks the platform after `destroy`. */
  readonly destroyed: (opened: PlatformStack) => void;
}

const isCleared = ({ platform }: PlatformStack) => {
  const numbers = [...platform.numbers.values()];
  assert.deepEqual(
    numbers.filter(({ inboundAgents }) => Object.keys(inboundAgents).length > 0),
    [],
  );
};

const examples: Readonly<Record<string, Example>> = {
  "weighted-routing": {
    // Run `pulumi up` in the root of the repository, whose own Pulumi.yaml refers to this example.
    folder: repository,
    sent: ["+15551230001", "+15551230002", "+15551230003"].map(put),
    applied: ({ platform }) =>
      assert.deepEqual(platform.routing("+15551230001"), {
        inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
        outboundAgentId: "agent_callback",
        outboundAgentVersion: 4,
        inboundWebhookUrl: "https://hooks.example.com/inbound",
        isTimeRoutingEnabled: true,
      }),
    destroyed: isCleared,
  },
  "community-voice": {
    sent: ["POST /api/voices/community"],
    applied: ({ platform }) =>
      assert.deepEqual(
        platform.voices.map(({ voiceName }) => voiceName),
        ["Nova"],
      ),
    destroyed: ({ platform }) => assert.equal(platform.voices.length, 1),
  },
  "sms-chat": {
    config: { toNumber: "+15559876543" },
    sent: ["POST /api/chats/outbound-sms"],
    applied: ({ platform }) =>
      assert.deepEqual(
        platform.chats.map(({ toNumber }) => toNumber),
        ["+15559876543"],
      ),
    destroyed: ({ platform }) =>
      assert.deepEqual(
        platform.chats.map(({ ended }) => ended),
        [true],
      ),
  },
};

/** Returns the config of the example's own stack, or an empty config if there is none. */
function stackConfig(name: string): Config {
  const file = join(repository, "examples", name, "Pulumi.dev.yaml");
  return existsSync(file) ? (parse(readFileSync(file, "utf8")) as { config: Config }).config : {};
}

/** Deploys an example, checks that a second preview shows no changes, and destroys the example. */
async function livesExample(name: string): Promise<void> {
  const example = examples[name];
  assert.ok(example, name);
  const options = {
    existing: example.folder ?? join(repository, "examples", name),
    config: {
      ...stackConfig(name),
      ...Object.fromEntries(Object.entries(example.config ?? {}).map(([key, value]) => [`${name}:${key}`, value])),
    },
    env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
  };
  await withPlatformStack(options, async (opened) => {
    await opened.stack.up();
    assert.deepEqual(
      opened
        .sent()
        .map(([target]) => target)
        .sort(),
      example.sent,
    );
    example.applied(opened);
    await opened.stack.preview({ args: ["--expect-no-changes"] });
    opened.sentNothing();
    await opened.stack.destroy();
    example.destroyed(opened);
  });
}

describe("the package", () => {
  it("has a test for every example", () => {
    const folders = readdirSync(join(repository, "examples"));
    const programs = folders.filter((folder) =>
      ["index.ts", "Pulumi.yaml"].some(
        (file) => existsSync(join(repository, "examples", folder, file)) && folder !== "test-kit",
      ),
    );
    assert.deepEqual(programs.sort(), Object.keys(examples).sort());
  });

  it("deploys and destroys every example", async () => {
    // Run all examples at once, because each of them mostly waits for other processes.
    await Promise.all(Object.keys(examples).map(livesExample));
  });
});

describe("docs/reference", () => {
  it("contains examples that can be deployed together in one program", async () => {
    const texts = KINDS.map(exampleOf);
    const names = texts.flatMap((text) => /^import \{ (.*) \}/.exec(text)?.[1]?.split(", ") ?? []);
    const bodies = texts.map((text) => text.replace(/^import .*\n/, ""));
    const program = `import { ${[...new Set(names)].join(", ")} } from "pulumi-agent-platform";\n${bodies.join("")}`;
    await withPlatformStack({ program }, async ({ stack, sent }) => {
      await stack.up();
      assert.deepEqual(
        byTarget(sent()).map(([request]) => request),
        [
          "POST /api/chats/outbound-sms",
          "POST /api/voices/community",
          "PUT /api/numbers/%2B15551230001/agent",
          "PUT /api/numbers/%2B15551230002/agent",
          "PUT /api/numbers/%2B15551234567/agent",
        ],
      );
    });
  });
});
