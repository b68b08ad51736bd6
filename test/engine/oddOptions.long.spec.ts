import assert from "node:assert/strict";
import { leftOf } from "../support/engineProcesses";
import { ref } from "../support/engineProject";
import { bindsTo, clears, failedWith, list, n, oneAttempt, program, range } from "../support/movingNumbers";
import { byTarget, type PlatformStack, withPlatformStack } from "../support/platformStack";

const group = (numbers: readonly string[], agent: string, options: object = {}) => ({
  type: "agent-platform:NumberGroup",
  properties: { numbers, inboundAgents: { [agent]: 100 } },
  options,
});
const one = (number: string, agent: string, options: object = {}) => ({
  type: "agent-platform:NumberAssignment",
  properties: { number, inboundAgents: { [agent]: 100 } },
  options,
});
const steps = (ran: { readonly steps: readonly { op: string; name: string }[] }) =>
  ran.steps.map(({ op, name }) => `${op} ${name}`).sort();
const agents = ({ platform }: PlatformStack, ...numbers: string[]) =>
  numbers.map((number) => Object.keys(platform.routing(number)?.inboundAgents ?? {}).join());
const refusedFirst = (number: string) =>
  [
    `AGP-075 NumberAssignment "a" (${number}): delete not sent: \`deleteBeforeReplace\` would clear numbers before it is known which ones the program still declares.`,
    "  The resource stays in the state, and its numbers keep their agents. Remove the resource option deleteBeforeReplace, then rerun.",
  ].join("\n");

/** Options of the engine that change when a resource is replaced or deleted, while numbers move. */
describe("numbers that move", () => {
  it("end as declared with aliases, replaceOnChanges, deleteBeforeReplace and deletedWith, in YAML", async () => {
    const first = { resources: { g: group(range(1, 6), "agent_g"), a: one(n(9), "agent_a") } };
    await withPlatformStack({ program: first, config: oneAttempt }, async (both) => {
      const { stack, sent } = both;
      const up = async (resources: object, expectFailure = false) => {
        stack.write({ resources });
        return stack.up({ expectFailure });
      };
      await stack.up();
      sent();
      await up({
        g2: group(range(2, 6), "agent_g", { aliases: [{ name: "g" }] }),
        a: one(n(9), "agent_a2", { replaceOnChanges: ["inboundAgents"] }),
        one: one(n(1), "agent_one"),
      });
      assert.deepEqual(byTarget(sent()), [bindsTo(n(1), "agent_one"), bindsTo(n(9), "agent_a2")]);

      const moved = { a: one(n(2), "agent_a2"), one: one(n(1), "agent_one") };
      const late = (options: object) => one(n(9), "agent_late", options);
      await up({
        ...moved,
        g2: group(range(3, 6), "agent_g5", { replaceOnChanges: ["inboundAgents"] }),
        late: late({ dependsOn: [ref("g2")] }),
      });
      assert.deepEqual(byTarget(sent()), [
        bindsTo(n(2), "agent_a2"),
        ...range(3, 6).map((number) => bindsTo(number, "agent_g5")),
        bindsTo(n(9), "agent_late"),
      ]);

      const rest = { one: one(n(1), "agent_one"), late: late({ deletedWith: ref("g2") }) };
      const failed = await up(
        { a: one(n(5), "agent_a2", { deleteBeforeReplace: true }), g2: group(range(3, 4), "agent_g5"), ...rest },
        true,
      );
      assert.deepEqual(failedWith(failed), [refusedFirst(n(2))]);
      assert.deepEqual(agents(both, ...range(2, 6)), ["agent_a2", ...Array(4).fill("agent_g5")]);
      await up({ a: one(n(5), "agent_a2"), g2: group(range(3, 4), "agent_g5"), ...rest });
      assert.deepEqual(agents(both, ...range(1, 6), n(9)), [
        "agent_one",
        "",
        "agent_g5",
        "agent_g5",
        "agent_a2",
        "",
        "agent_late",
      ]);
      sent();

      // The engine does not ask the provider to delete what another delete is said to take along.
      await up({ one: one(n(1), "agent_one"), a: one(n(5), "agent_a2"), g3: group([n(3)], "agent_g3") });
      assert.deepEqual(byTarget(sent()), [bindsTo(n(3), "agent_g3"), clears(n(4))]);
      assert.deepEqual(agents(both, n(9)), ["agent_late"]);
      assert.deepEqual(steps(await stack.up()), []);
    });
  });

  it("end as declared by transforms of a component, and where ignoreChanges is taken away", async () => {
    const both = (groupOptions: string, assignmentOptions = groupOptions) => `
      group("g", ${list(range(1, 4))}, "agent_g", ${groupOptions}); one("a", "${n(9)}", "agent_a", ${assignmentOptions});`;
    const inComponent = "{ parent: this, aliases: [{ parent: pulumi.rootStackResource }] }";
    const transformed = program(`
      class Office extends pulumi.ComponentResource {
        constructor(opts) {
          super("test:index:Office", "office", {}, opts);
          ${both(inComponent)}
        }
      }
      const changed = (of, props) => (args) => args.name === of ? { props: { ...args.props, ...props }, opts: args.opts } : undefined;
      new Office({
        transformations: [changed("g", { numbers: ${JSON.stringify(`${range(2, 4).join("\n")}\n`)} })],
        transforms: [changed("a", { number: "${n(1)}" })],
      });`);
    await withPlatformStack({ program: program(both("{}")), config: oneAttempt }, async (platformStack) => {
      const { stack, sent } = platformStack;
      await stack.up();
      sent();
      stack.write(transformed);
      await stack.up();
      assert.deepEqual(byTarget(sent()), [bindsTo(n(1), "agent_a"), clears(n(9))]);
      assert.deepEqual((await stack.up()).changeSummary, { same: 4 });

      const own = (options: string) => `
        group("g", ${list([n(3)])}, "agent_g", { aliases: ["urn:pulumi:dev::test::test:index:Office$pulumi-nodejs:dynamic/agent-platform:NumberGroup::g"], ${options} });
        one("b", "${n(1)}", "agent_b");`;
      stack.write(program(own(`ignoreChanges: ["numbers"]`)));
      await stack.up();
      assert.deepEqual(byTarget(sent()), [bindsTo(n(1), "agent_b")]);
      stack.write(program(`${own("")} one("four", "${n(4)}", "agent_four");`));
      await stack.up();
      assert.deepEqual(byTarget(sent()), [clears(n(2)), bindsTo(n(4), "agent_four")]);
      assert.deepEqual(agents(platformStack, ...range(1, 4), n(9)), ["agent_b", "", "agent_g", "agent_four", ""]);
      assert.deepEqual(steps(await stack.up()), []);
    });
  });
});

describe("numbers whose stack or options change from outside the arguments", () => {
  it("end as declared: state move sends nothing, a transform's protect refuses a removal", async () => {
    const rest = `one("a", "${n(9)}", "agent_a");`;
    const before = program(`group("g", ${list(range(1, 3))}, "agent_g"); ${rest}`);
    await withPlatformStack({ program: before, config: oneAttempt }, async (both) => {
      const { stack, platform, sent, sentNothing } = both;
      const env = { AGENT_PLATFORM_BASE_URL: platform.url };
      const under = (numbers: readonly string[], option: string) =>
        program(`
          const transforms = [({ props, opts }) => ({ props, opts: { ...opts, ${option} } })];
          group("g", ${list(numbers)}, "agent_g", { transforms }); ${rest}`);
      const up = async (text: string, expectFailure = false) => {
        stack.write(text);
        return stack.up({ env, expectFailure });
      };
      await stack.up();
      sent();
      const guarded = "protect: true";
      await up(under(range(1, 3), guarded));
      sentNothing();
      const b = `one("b", "${n(1)}", "agent_b");`;
      await up(`${under(range(2, 3), guarded)} ${b}`);
      assert.deepEqual(sent(), [bindsTo(n(1), "agent_b")]);
      const refused = await up(`${under([n(3)], guarded)} ${b}`, true);
      assert.match(refused.output, /marked for protection/);
      sentNothing();

      const moved = stack.resources().find(({ name }) => name === "b");
      await stack.run(["stack", "init", "other", "--non-interactive"]);
      await stack.run(["state", "move", "--source", "dev", "--dest", "other", `${moved?.urn}`, "--yes"]);
      await up(under(range(2, 3), guarded));
      sentNothing();
      assert.deepEqual(agents(both, ...range(1, 3), n(9)), ["agent_b", "agent_g", "agent_g", "agent_a"]);
    });
  });
});

describe("an original that deleteBeforeReplace deletes first, where diff is not asked for a replacement", () => {
  it("keeps its numbers, by `--replace`, until the option is gone", async () => {
    const before = program(`group("g", ${list(range(1, 4))}, "agent_g"); one("a", "${n(9)}", "agent_a");`);
    const moved = (options: string) =>
      program(`
        const g = group("g", ${list(range(3, 4))}, "agent_g", { ${options} });
        const a = one("a", "${n(8)}", "agent_a", { ${options} });
        one("one", "${n(1)}", "agent_one", { dependsOn: [g] }); one("nine", "${n(9)}", "agent_nine", { dependsOn: [a] });`);
    await withPlatformStack({ program: before, config: oneAttempt }, async ({ stack, platform, sent, sentNothing }) => {
      const env = { AGENT_PLATFORM_BASE_URL: platform.url };
      await stack.up({ env });
      sent();
      const forced = stack.resources().flatMap(({ urn }) => ["--replace", urn]);
      stack.write(moved("deleteBeforeReplace: true"));
      const failed = failedWith(await stack.up({ env, args: forced, expectFailure: true }));
      assert.deepEqual(new Set(failed.map((text) => text.slice(0, 7))), new Set(["AGP-075"]), failed.join("\n"));
      sentNothing();
      stack.write(moved(""));
      await stack.up({ env });
      assert.deepEqual(byTarget(sent()), [
        bindsTo(n(1), "agent_one"),
        clears(n(2)),
        ...range(3, 4).map((number) => bindsTo(number, "agent_g")),
        bindsTo(n(8), "agent_a"),
        bindsTo(n(9), "agent_nine"),
      ]);
      assert.deepEqual(steps(await stack.up({ env })), []);
    });
  });
});

describe("what depends on a resource that is deleted before its replacement", () => {
  it("goes on where its arguments stay as they are: no chat is ended and sent again, no number is sent", async () => {
    const on = (version: string, phone = "+15550009999") =>
      program(`
        const provider = {
          diff: async (_, olds, news) => ({ replaces: olds.version === news.version ? [] : ["version"], deleteBeforeReplace: true }),
          create: async (inputs) => ({ id: "line", outs: { ...inputs, numbers: ["${n(1)}"] } }),
          delete: async () => {},
        };
        const line: any = new (class extends pulumi.dynamic.Resource {})(provider, "line", { version: "${version}", phone: "${phone}", numbers: undefined });
        const from = { workspaceId: 42, fromNumber: "+15550000001" };
        new SmsChat("chat", { ...from, agentId: "chat_agent_a", toNumber: line.phone, metadata: { line: line.id } });
        group("g", line.numbers, "agent_g");`);
    await withPlatformStack({ program: on("1") }, async ({ stack, platform, sent, sentNothing }) => {
      await stack.up();
      assert.equal(sent().length, 2);
      stack.write(on("2"));
      assert.deepEqual(new Set((await stack.up()).steps.map(({ name }) => name)), new Set(["line"]));
      sentNothing();
      // A value that does change replaces as ever: the new chat starts before the old one ends.
      stack.write(on("3", "+15550008888"));
      await stack.up();
      assert.deepEqual(
        sent().map(([request]) => request),
        ["POST /api/chats/outbound-sms", `POST /api/chats/${platform.chats[0]?.chatId}/end`],
      );
    });
  });
});

describe("a chat that two resources have", () => {
  it("goes on while one of them stays, also without adopt, and ends where an option replaces it", async () => {
    const chat = (name: string, more = "", options = "{}") =>
      `const ${name} = new SmsChat("${name}", { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15550000001", toNumber: "+15550009999", ${more} }, ${options});`;
    const broken = `one("broken", "${n(9)}", "agent_broken", { dependsOn: [b] });`;
    const options = { program: program(chat("a")), config: oneAttempt };
    await withPlatformStack(options, async ({ stack, platform, sent }) => {
      const up = async (text: string, expectFailure = false) => {
        stack.write(program(text));
        await stack.up({ expectFailure });
      };
      const posts = () => sent().flatMap(([request]) => (request.startsWith("POST") ? [request] : []));
      await stack.up();
      const adopt = `adopt: "${platform.chats[0]?.chatId}",`;
      assert.equal(posts().length, 1);
      // Two runs fail before their deletes; in the second one the new name does without adopt.
      platform.inject({ kind: "status", status: 422, number: n(9), times: 2 });
      await up(`${chat("b", adopt)} ${broken}`, true);
      await up(`${chat("b")} ${broken}`, true);
      await up(`${chat("b")} ${broken}`);
      await up(`${chat("c", adopt)}`);
      await up(`${chat("c", adopt)} ${chat("d", adopt)}`);
      await up(`${chat("c", adopt)}`);
      assert.deepEqual(posts(), []);
      await up(`${chat("c", "", `{ replacementTrigger: "1" }`)}`);
      await up(`${chat("c", "", `{ replacementTrigger: "2" }`)}`);
      assert.deepEqual(posts(), ["POST /api/chats/outbound-sms", `POST /api/chats/${platform.chats[0]?.chatId}/end`]);
    });
  });
});

describe("a group whose replacement is interrupted", () => {
  it("is finished by the next run, in the create and in the clear, and leaves no process", async () => {
    const config = { "agent-platform:concurrency": 1 };
    const before = program(`group("g", ${list(range(1, 6))}, "agent_g");`);
    await withPlatformStack({ program: before, config }, async (both) => {
      const { stack, sent } = both;
      await stack.up();
      sent();
      const moved = (numbers: readonly string[]) =>
        program(`group("g", ${list(numbers)}, "agent_new", { dependsOn: one("one", "${n(1)}", "agent_one") });`);
      stack.write(moved(range(3, 6)));
      // Not asserted of the clear below: that delete is the run's last step, after which the engine may call the run done.
      assert.notEqual(await interrupted(both, 1), 0);
      assert.deepEqual(agents(both, ...range(1, 6)), ["agent_one", "agent_g", ...Array(4).fill("agent_new")]);
      assert.ok(sent().every(([, body]) => (body as { inboundAgents: unknown }).inboundAgents !== null));
      await stack.up();
      // The assignment sends once more: which resource was last in a run that failed, is not known.
      assert.deepEqual(byTarget(sent()), [bindsTo(n(1), "agent_one"), clears(n(2))]);

      stack.write(moved(range(5, 6)));
      await interrupted(both, 0);
      assert.deepEqual(sent(), [clears(n(3)), clears(n(4))]);
      assert.deepEqual(steps(await stack.up()), []);
      assert.deepEqual(agents(both, ...range(1, 6)), ["agent_one", "", "", "", "agent_new", "agent_new"]);
    });
  });
});

/** The exit code of a run that gets SIGINT while a request is under way, the one after so many others. */
async function interrupted({ stack, platform }: PlatformStack, after: number): Promise<number | null> {
  const begun = platform.requests.length;
  const held = platform.inject({ kind: "hold", after });
  let heard = () => {};
  const cancelling = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const onOutput = (text: string) => (text.includes("^C received") ? heard() : undefined);
  const run = stack.spawn(["up", "--yes", "--skip-preview"], { onOutput });
  await platform.waitForRequests(begun + after + 1);
  run.child.kill("SIGINT");
  await cancelling;
  held.release();
  const { exitCode } = await run.result;
  assert.deepEqual(await leftOf(stack.processes), []);
  return exitCode;
}
