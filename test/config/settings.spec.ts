import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { parseBaseUrl, readSettings, type Settings, type SettingsSource } from "../../provider/config/settings";

const BASE = "https://platform.example";

const source = (config: Record<string, unknown>, env: Record<string, string> = {}): SettingsSource => ({
  get: (key) => config[key],
  env,
});

function settings(...args: Parameters<typeof source>): Settings {
  const read = readSettings(source(...args));
  assert.ok("settings" in read, JSON.stringify(read));
  return read.settings;
}

function problems(...args: Parameters<typeof source>): string[] {
  const read = readSettings(source(...args));
  assert.ok("problems" in read, "expected problems");
  return read.problems.map(({ code, text }) => `${code} ${text}`);
}

describe("settings", () => {
  it("has a default for every setting except the base URL", () => {
    const read = settings({ baseUrl: `${BASE}/` });
    assert.equal(read.endpoint, BASE);
    assert.deepEqual([read.clearWith, read.requestTimeout, read.accessToken], [undefined, 30, undefined]);
    assert.deepEqual(read.guards, {
      weightTotal: undefined,
      maxShift: undefined,
      requireVersions: false,
      steps: undefined,
      approvedAgents: undefined,
      maxUnapproved: 0,
      maxRemove: undefined,
      freeze: undefined,
    });
  });

  it("reads settings from strings as well as from typed values", () => {
    const rollouts = { front: { stable: "agent_a@1", candidate: "agent_a@2", percent: 10 } };
    const values = {
      workspaceId: 42,
      maxShift: 12.5,
      requireVersions: true,
      approvedAgents: ["agent_a@1"],
      steps: [10, 50, 100],
      rollouts,
    };
    const texts = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]));
    assert.deepEqual(settings({ baseUrl: BASE, ...texts }), settings({ baseUrl: BASE, ...values }));
    assert.equal(settings({ baseUrl: BASE, ...texts }).workspaceId, 42);
  });

  it("reports every invalid setting without quoting its value", () => {
    assert.deepEqual(
      problems({
        requestTimeout: 86_401,
        clearWith: "maybe",
        maxShift: "lots",
        weightTotal: 1e9 + 1,
        approvedAgents: '["front@12"]',
        voiceHeaders: { actorType: "X: y" },
      }).sort(),
      [
        "AGP-010 the base URL of the platform is not set.",
        "AGP-015 agent-platform:approvedAgents[0] must be an agent, as in `agent_front@12`.",
        "AGP-015 agent-platform:clearWith must be one of null, empty, omit.",
        "AGP-015 agent-platform:maxShift must be a number from 0 to 100.",
        "AGP-015 agent-platform:requestTimeout must be a number of seconds above 0 and at most 86400.",
        "AGP-015 agent-platform:voiceHeaders.actorType must be a header name: letters, digits, `-` and `_`, at most 100 characters.",
        "AGP-015 agent-platform:weightTotal must be at most 1000000000.",
      ],
    );
  });
});

describe("a setting of the environment", () => {
  for (const { name, key, valid, env, rule } of [
    {
      name: "AGENT_PLATFORM_CLEAR_WITH",
      key: "clearWith",
      valid: "empty",
      env: "nul",
      rule: "must be one of null, empty, omit.",
    },
    {
      name: "AGENT_PLATFORM_REQUEST_TIMEOUT",
      key: "requestTimeout",
      valid: 30,
      env: "soon",
      rule: "must be a number of seconds above 0 and at most 86400.",
    },
  ]) {
    it(`names the environment variable in an error: ${name}`, () => {
      assert.deepEqual(problems({ baseUrl: BASE, [key]: valid }, { [name]: env }), [`AGP-015 ${name} ${rule}`]);
    });
  }
});

describe("a guard", () => {
  it("rejects a guard that is an empty string", () => {
    const guards = ["weightTotal", "maxShift", "requireVersions", "approvedAgents", "maxUnapproved", "maxRemove"];
    const empty = Object.fromEntries([...guards, "freeze"].map((key) => [key, ""]));
    assert.deepEqual(problems({ baseUrl: BASE, ...empty }), [
      "AGP-015 agent-platform:weightTotal must be a number.",
      "AGP-015 agent-platform:maxShift must be a number from 0 to 100.",
      "AGP-015 agent-platform:requireVersions must be true or false.",
      "AGP-015 agent-platform:approvedAgents must be a list of agents, as in [agent_front@12, agent_night@4].",
      "AGP-015 agent-platform:maxUnapproved must be a number from 0 to 100.",
      "AGP-015 agent-platform:maxRemove must be an integer.",
      "AGP-015 agent-platform:freeze must not be empty.",
    ]);
  });

  it("treats a guard that is null as unset", () => {
    const left = { maxShift: null, approvedAgents: null, onMismatch: "" };
    assert.deepEqual(settings({ baseUrl: BASE, ...left }), settings({ baseUrl: BASE }));
  });
});

describe("the steps of a rollout", () => {
  it("accepts a list of steps that contains only 100", () =>
    assert.deepEqual(settings({ baseUrl: BASE, steps: "[100]" }).guards.steps, [100]));

  for (const { name, steps, rule } of [
    {
      name: "an empty list of steps",
      steps: "[]",
      rule: " must be increasing percentages above 0, ending with 100; found none",
    },
    {
      name: "a step at 0",
      steps: "[0, 100]",
      rule: " must be increasing percentages above 0, ending with 100; found 0, 100",
    },
    {
      name: "decreasing steps",
      steps: "[50, 10, 100]",
      rule: " must be increasing percentages above 0, ending with 100; found 50, 10, 100",
    },
    {
      name: "steps that do not end with 100",
      steps: "[1, 50]",
      rule: " must be increasing percentages above 0, ending with 100; found 1, 50",
    },
    { name: "steps that are not a list", steps: "10", rule: " must be a list of percentages, as in [1, 10, 50, 100]" },
    { name: "a string among the steps", steps: '["1", 100]', rule: "[0] must be a number" },
  ]) {
    it(`rejects ${name}`, () =>
      assert.deepEqual(problems({ baseUrl: BASE, steps }), [`AGP-015 agent-platform:steps${rule}.`]));
  }
});

describe("the base URL", () => {
  it("takes the base URL from the environment only if the config has none", () => {
    assert.equal(settings({}, { AGENT_PLATFORM_BASE_URL: BASE }).endpoint, BASE);
    assert.equal(settings({ baseUrl: BASE }, { AGENT_PLATFORM_BASE_URL: `${BASE}/` }).endpoint, BASE);
    assert.deepEqual(problems({ baseUrl: BASE }, { AGENT_PLATFORM_BASE_URL: "http://127.0.0.1:8080" }), [
      "AGP-012 AGENT_PLATFORM_BASE_URL and agent-platform:baseUrl name two different platforms.",
    ]);
  });

  it("normalizes the base URL and accepts http only for loopback addresses", () => {
    for (const [text, url] of [
      ["https://api.example.com/v1/agents/", "https://api.example.com/v1/agents"],
      [" https://api.example.com//\n", "https://api.example.com"],
      ["https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/x"],
      ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
      ["http://localhost:3000", "http://localhost:3000"],
      ["http://[::1]:3000", "http://[::1]:3000"],
    ] as const) {
      assert.deepEqual(parseBaseUrl(text), { url });
    }
  });

  const form = "must be https://host or https://host/path (http:// only on loopback).";
  const refused: [text: string, problem: string][] = [
    ["", form],
    ["api.example.com", form],
    ["https://a.example:99999", form],
    ["https://api.example.com?x=1", "is read as https://api.example.com. Write it exactly like that."],
    ["HTTPS://API.Example.COM:443", "is read as https://api.example.com. Write it exactly like that."],
    ["https://bücher.example", "is read as https://xn--bcher-kva.example. Write it exactly like that."],
    ["https://a.example/%2e%2E/y", "is read as https://a.example/y. Write it exactly like that."],
    [
      "https://user:pass@api.example.com",
      "must not contain a user name or password. The access token is a separate setting.",
    ],
    [
      "http://localhost.example.com",
      "must use https. With http, which is accepted only on loopback, the token would be sent unencrypted.",
    ],
  ];
  it("rejects an invalid base URL without quoting its user name or password", () => {
    for (const [text, problem] of refused) {
      assert.deepEqual(parseBaseUrl(text), { problem: `The base URL ${problem}` });
    }
  });
});

describe("the bypass", () => {
  for (const { name, text, bypass } of [
    { name: "does not bypass the guards if the variable is empty", text: "", bypass: undefined },
    { name: "does not bypass the guards if the variable is blank", text: " \n", bypass: undefined },
    { name: "bypasses the guards if the variable holds a reason", text: "incident 42", bypass: "incident 42" },
  ]) {
    it(name, () => assert.equal(settings({ baseUrl: BASE }, { AGENT_PLATFORM_BYPASS: text }).bypass, bypass));
  }
});

describe("the access token", () => {
  const TokenEnv = "AGENT_PLATFORM_ACCESS_TOKEN";
  it("prefers the access token in the environment to the one in the config", () => {
    const read = settings({ baseUrl: BASE, accessToken: "from-config" }, { [TokenEnv]: "from-env" });
    assert.deepEqual([read.accessToken, read.tokenSource], ["from-env", "environment"]);
    const config = settings({ baseUrl: BASE, accessToken: "from-config" });
    assert.deepEqual([config.accessToken, config.tokenSource], ["from-config", "config"]);
  });
  it("rejects an access token that has several lines or fewer than eight characters", () => {
    assert.equal(settings({ baseUrl: BASE }, { [TokenEnv]: "abcdefgh\r\n" }).accessToken, "abcdefgh");
    // Taken out of a response, a short one would change the ids in it.
    for (const slip of ["Bearer hush-hush", "hush hush", "hush\u0000hush", "hush-caf\u00e9", "hush"]) {
      assert.deepEqual(problems({ baseUrl: BASE }, { [TokenEnv]: slip }), [
        "AGP-013 AGENT_PLATFORM_ACCESS_TOKEN (environment): The access token must be one line of at least 8 visible ASCII characters, without spaces and without the word Bearer.",
      ]);
    }
  });
});

describe("approved agents", () => {
  it("reports an entry of approvedAgents that is not an agent", () => {
    for (const slip of ["agent_b@", "agent_b@0x1F", "b@1"]) {
      assert.deepEqual(problems({ baseUrl: BASE, approvedAgents: ["agent_a@1", slip, "agent_c@3"] }), [
        "AGP-015 agent-platform:approvedAgents[1] must be an agent, as in `agent_front@12`.",
      ]);
    }
  });
  it("rejects a file path in place of approvedAgents", () => {
    assert.deepEqual(problems({ baseUrl: BASE, approvedAgents: "agents.yaml" }), [
      "AGP-015 agent-platform:approvedAgents must be a list of agents, as in [agent_front@12, agent_night@4].",
    ]);
  });
});
