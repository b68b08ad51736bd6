import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, it } from "mocha";
import { AgentPlatform, NumberAssignment, NumberGroup, split } from "../../provider";

type Inputs = Record<string, unknown>;

/** What the program under mocks handed to the engine, by name; each run has a monitor of its own. */
let registered: string[] = [];
const newRun = (isPreview = false) => {
  registered = [];
  const newResource = ({ name, inputs }: pulumi.runtime.MockResourceArgs) => {
    registered.push(name);
    return { id: name, state: inputs as Inputs };
  };
  return pulumi.runtime.setMocks({ newResource, call: ({ inputs }) => inputs }, "project", "stack", isPreview);
};

const inboundAgents = split({ "agent_front@12": 1 });
const number = "+15551234567";
const text = (what: string, first: string, second: string) =>
  `AGP-003 ${what} is declared twice: by ${first} and by ${second}. Remove one of them: otherwise they overwrite each other in every run.`;
const twice = (first: string, second: string, what = `number ${number}`) => ({ message: text(what, first, second) });

/** The program's half: what a resource refuses when it is constructed, before the engine has heard of it. */
describe("a number in one program", () => {
  beforeEach(() => newRun());

  it("is declared by one assignment alone", () => {
    new NumberAssignment("a", { number, inboundAgents });
    assert.throws(
      () => new NumberAssignment("b", { number, inboundAgents }),
      twice('NumberAssignment "a"', 'NumberAssignment "b"'),
    );
  });

  it("is declared by an assignment or by a group, as a list or with labels", () => {
    new NumberGroup("group", { numbers: ["4001", number], inboundAgents });
    assert.throws(
      () => new NumberAssignment("one", { number, inboundAgents }),
      twice('NumberGroup "group"', 'NumberAssignment "one"'),
    );
    assert.throws(
      () => new NumberGroup("other", { numbers: { [number]: "London" }, inboundAgents }),
      twice('NumberGroup "group"', 'NumberGroup "other"'),
    );
    assert.throws(
      () => new NumberAssignment("desk", { number: "4001", inboundAgents }),
      twice('NumberGroup "group"', 'NumberAssignment "desk"', "extension 4001"),
    );
  });

  it("may be declared again in another run, and by the same program built once more", async () => {
    const parent = new pulumi.ComponentResource("test:index:Office", "office");
    const build = () => new NumberAssignment("a", { number, inboundAgents }, { parent });
    build();
    build();
    await newRun();
    new NumberGroup("g", { numbers: [number], inboundAgents });
  });

  it("is no slip in a component of its own, whose provider it takes", () => {
    const parent = new pulumi.ComponentResource("test:index:Office", "office");
    new NumberAssignment("a", { number, inboundAgents }, { parent });
    assert.throws(
      () => new NumberAssignment("a", { number, inboundAgents }),
      twice('NumberAssignment "a"', 'NumberAssignment "a"'),
    );
  });
});

describe("a number under explicit providers", () => {
  beforeEach(() => newRun());
  const provider = (name: string, baseUrl: pulumi.Input<string> = "https://platform.example.com/") =>
    new AgentPlatform(name, { baseUrl, accessTokenEnv: name.toUpperCase() });
  const declare = (name: string, declared: string, using: pulumi.ProviderResource | undefined) =>
    new NumberAssignment(name, { number: declared, inboundAgents }, using === undefined ? {} : { provider: using });

  it("exists once on a platform, whichever account opens it", () => {
    declare("a", number, provider("first"));
    assert.throws(
      () => declare("b", number, provider("second", "https://PLATFORM.example.com")),
      twice('NumberAssignment "a"', 'NumberAssignment "b"'),
    );
    declare("c", number, provider("third", "https://staging.example.com"));
    declare("d", number, provider("fourth", pulumi.output("https://platform.example.com")));
    declare("e", number, undefined);
  });

  it("exists once on the platform of the stack's config as well", () => {
    pulumi.runtime.setConfig("agent-platform:baseUrl", "https://platform.example.com");
    try {
      declare("a", number, undefined);
      assert.throws(
        () => declare("b", number, provider("second")),
        twice('NumberAssignment "a"', 'NumberAssignment "b"'),
      );
    } finally {
      pulumi.runtime.setAllConfig({});
    }
  });

  it("exists once in each account where it is an extension", () => {
    const [first, second] = [provider("first"), provider("second")];
    declare("a", "4001", first);
    declare("b", "4001", second);
    assert.throws(
      () => declare("c", "4001", second),
      twice('NumberAssignment "b"', 'NumberAssignment "c"', "extension 4001"),
    );
  });

  it("is the component's whose providers it takes", () => {
    const [first, second] = [provider("first"), provider("second")];
    const parent = new pulumi.ComponentResource("test:index:Office", "office", {}, { providers: [second] });
    declare("a", "4001", first);
    new NumberAssignment("b", { number: "4001", inboundAgents }, { parent });
    assert.throws(
      () => new NumberAssignment("c", { number: "4001", inboundAgents }, { parent }),
      twice('NumberAssignment "b"', 'NumberAssignment "c"', "extension 4001"),
    );
  });
});

describe("a number that becomes known while the program runs", () => {
  beforeEach(() => newRun());

  /** What would end the program: the SDK's host reports each error once. */
  async function slips(program: () => void): Promise<unknown[]> {
    const before = process.rawListeners("unhandledRejection") as NodeJS.UnhandledRejectionListener[];
    const found = new Set<unknown>();
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", (error) => found.add(error));
    try {
      program();
      await pulumi.runtime.disconnect();
      await new Promise(setImmediate);
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const listener of before) {
        process.on("unhandledRejection", listener);
      }
    }
    return [...found].map((error) => (pulumi.RunError.isInstance(error) ? error.message : error));
  }

  const forms: Readonly<Record<string, (name: string) => pulumi.CustomResource>> = {
    "an output": (name) => new NumberAssignment(name, { number: pulumi.output(number), inboundAgents }),
    "a promise": (name) => new NumberAssignment(name, { number: Promise.resolve(number), inboundAgents }),
    "one of a list": (name) => new NumberGroup(name, { numbers: ["4009", pulumi.output(number)], inboundAgents }),
    "a list": (name) => new NumberGroup(name, { numbers: pulumi.output(["4009", number]), inboundAgents }),
    "a map with labels": (name) => new NumberGroup(name, { numbers: pulumi.output({ [number]: "x" }), inboundAgents }),
    "the numbers of another group": (name) =>
      new NumberGroup(name, { numbers: pulumi.output(`4009\tdesk\n${number}\n`) as never, inboundAgents }),
  };
  for (const [what, declare] of Object.entries(forms)) {
    const kind = /an output|a promise/.test(what) ? "NumberAssignment" : "NumberGroup";
    it(`is refused, and not registered: ${what}`, async () => {
      const found = await slips(() => {
        new NumberAssignment("first", { number, inboundAgents });
        declare("second");
      });
      assert.deepEqual(found, [text(`number ${number}`, 'NumberAssignment "first"', `${kind} "second"`)]);
      assert.deepEqual(registered, ["first"]);
    });

    it(`is declared first, whatever is known first: ${what}`, async () => {
      const found = await slips(() => {
        declare("first");
        new NumberAssignment("second", { number, inboundAgents });
      });
      assert.deepEqual(found, [text(`number ${number}`, `${kind} "first"`, 'NumberAssignment "second"')]);
      assert.deepEqual(registered, ["second"]);
    });
  }

  it("is refused for both outputs at once, for several slips one each, and never where it is named once", async () => {
    const later = new Promise<string>((resolve) => setImmediate(() => resolve("4001")));
    const found = await slips(() => {
      new NumberAssignment("a", { number: pulumi.output(number), inboundAgents });
      new NumberAssignment("b", { number: pulumi.output(number), inboundAgents });
      new NumberAssignment("c", { number: later, inboundAgents });
      new NumberGroup("d", { numbers: [later, later], inboundAgents });
      new NumberGroup("e", { numbers: pulumi.output(["4002", "4002"]), inboundAgents });
    });
    assert.deepEqual(found, [
      text(`number ${number}`, 'NumberAssignment "a"', 'NumberAssignment "b"'),
      text("extension 4001", 'NumberAssignment "c"', 'NumberGroup "d"'),
    ]);
    assert.deepEqual(registered.sort(), ["a", "c", "e"]);
  });

  it("is not printed where it is secret", async () => {
    const found = await slips(() => {
      new NumberAssignment("a", { number, inboundAgents });
      new NumberAssignment("b", { number: pulumi.secret(number), inboundAgents });
      new NumberGroup("c", { numbers: pulumi.secret(["4001"]), inboundAgents });
      new NumberAssignment("d", { number: pulumi.output("4001"), inboundAgents });
    });
    assert.deepEqual(found, [
      text("a secret number", 'NumberAssignment "a"', 'NumberAssignment "b"'),
      text("a secret extension", 'NumberGroup "c"', 'NumberAssignment "d"'),
    ]);
  });

  it("is not judged at a preview that does not know it", async () => {
    await newRun(true);
    const unknown = pulumi.output(pulumi.unknown) as pulumi.Output<string>;
    const found = await slips(() => {
      new NumberAssignment("a", { number, inboundAgents });
      new NumberAssignment("b", { number: unknown, inboundAgents });
    });
    assert.deepEqual([found, registered.sort()], [[], ["a", "b"]]);
  });
});

describe("an explicit provider", () => {
  it("takes exactly one of a token and the name of its variable", () => {
    const baseUrl = "https://platform.example.com";
    const message =
      'AGP-013 AgentPlatform "second": give exactly one of accessToken and accessTokenEnv. An explicit provider never takes the token of the environment.';
    assert.throws(() => new AgentPlatform("second", { baseUrl }), { message });
    assert.throws(() => new AgentPlatform("second", { baseUrl, accessToken: "t", accessTokenEnv: "T" }), { message });
  });

  it("marks its token as a secret, whatever it was given as", async () => {
    const seen: Record<string, unknown>[] = [];
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => {
        seen.push(inputs);
        return { id: name, state: inputs };
      },
      call: () => ({}),
    });
    const { urn } = new AgentPlatform("second", { baseUrl: "https://platform.example.com", accessToken: "plain" });
    await new Promise((resolve) => urn.apply(resolve));
    const marked = seen[0]?.["agent-platform:accessToken"];
    assert.deepEqual(marked, {
      "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
      value: "plain",
    });
  });
});
