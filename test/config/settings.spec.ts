import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { GUARD_KEYS } from "../../provider/config/keys";
import { parseBaseUrl, readSettings, type Settings, type SettingsSource } from "../../provider/config/settings";
import { assertRefused } from "../support/failures";

const BASE = "https://platform.example";

const source = (config: Record<string, unknown>, env: Record<string, string> = {}): SettingsSource => ({
  get: (key) => config[key],
  env,
});

function settings(...args: Parameters<typeof source>): Settings {
  const result = readSettings(source(...args));
  assert.ok("settings" in result, JSON.stringify(result));
  return result.settings;
}

function problems(...args: Parameters<typeof source>): string[] {
  const result = readSettings(source(...args));
  assert.ok("problems" in result, "the settings are valid");
  return result.problems.map(({ code, text }) => `${code} ${text}`);
}

describe("readSettings", () => {
  it("requires only the base URL", () => {
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

  it("accepts settings given as JSON strings", () => {
    const rollouts = { front: { stable: "agent_a@1", candidate: "agent_a@2", percent: 10 } };
    const values = {
      workspaceId: 42,
      maxShift: 12.5,
      requireVersions: true,
      approvedAgents: ["agent_a@1"],
      steps: [10, 50, 100],
      rollouts,
    };
    const strings = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]));
    assert.deepEqual(settings({ baseUrl: BASE, ...strings }), settings({ baseUrl: BASE, ...values }));
    assert.equal(settings({ baseUrl: BASE, ...strings }).workspaceId, 42);
  });

  it("reports every invalid setting without quoting its value", () => {
    const refusals = problems({
      requestTimeout: 86_401,
      clearWith: "maybe",
      maxShift: "lots",
      weightTotal: 1e9 + 1,
      approvedAgents: '["sales@7"]',
      voiceHeaders: { actorType: "X: y" },
    });
    assertRefused(refusals.sort(), [
      "AGP-010",
      "AGP-015 agent-platform:approvedAgents[0]",
      "AGP-015 agent-platform:clearWith",
      "AGP-015 agent-platform:maxShift",
      "AGP-015 agent-platform:requestTimeout",
      "AGP-015 agent-platform:voiceHeaders.actorType",
      "AGP-015 agent-platform:weightTotal",
    ]);
    assert.doesNotMatch(refusals.join("\n"), /86_?401|maybe|lots|1000000001|sales@7|X: y/);
  });
});

describe("settings from the environment", () => {
  it("reports an invalid environment variable by name", () => {
    assertRefused(problems({ baseUrl: BASE, clearWith: "empty" }, { AGENT_PLATFORM_CLEAR_WITH: "nul" }), [
      "AGP-015 AGENT_PLATFORM_CLEAR_WITH",
    ]);
    assertRefused(problems({ baseUrl: BASE, requestTimeout: 30 }, { AGENT_PLATFORM_REQUEST_TIMEOUT: "soon" }), [
      "AGP-015 AGENT_PLATFORM_REQUEST_TIMEOUT",
    ]);
  });
});

describe("guard settings", () => {
  it("rejects an empty string for every guard setting", () => {
    const empty = Object.fromEntries(GUARD_KEYS.map((key) => [key, ""]));
    assertRefused(
      problems({ baseUrl: BASE, ...empty }),
      GUARD_KEYS.map((key) => `AGP-015 agent-platform:${key}`),
    );
  });

  it("ignores null guards and an empty onMismatch setting", () => {
    const unset = { maxShift: null, approvedAgents: null, onMismatch: "" };
    assert.deepEqual(settings({ baseUrl: BASE, ...unset }), settings({ baseUrl: BASE }));
  });
});

describe("the steps setting", () => {
  it("accepts 100 as the only step", () =>
    assert.deepEqual(settings({ baseUrl: BASE, steps: "[100]" }).guards.steps, [100]));

  for (const { name, steps, path = "" } of [
    { name: "an empty list of steps", steps: "[]" },
    { name: "a step of 0", steps: "[0, 100]" },
    { name: "decreasing steps", steps: "[50, 10, 100]" },
    { name: "steps that do not end with 100", steps: "[1, 50]" },
    { name: "steps that are not a list", steps: "10" },
    { name: "a step that is a string", steps: '["1", 100]', path: "[0]" },
  ]) {
    it(`rejects ${name}`, () =>
      assertRefused(problems({ baseUrl: BASE, steps }), [`AGP-015 agent-platform:steps${path}`]));
  }
});

describe("the base URL setting", () => {
  it("rejects different base URLs in the environment and the config", () => {
    assert.equal(settings({}, { AGENT_PLATFORM_BASE_URL: BASE }).endpoint, BASE);
    assert.equal(settings({ baseUrl: BASE }, { AGENT_PLATFORM_BASE_URL: `${BASE}/` }).endpoint, BASE);
    assertRefused(problems({ baseUrl: BASE }, { AGENT_PLATFORM_BASE_URL: "http://127.0.0.1:8080" }), [
      "AGP-012 AGENT_PLATFORM_BASE_URL and agent-platform:baseUrl",
    ]);
  });

  it("accepts and normalizes https URLs and loopback http URLs", () => {
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

  it("rejects an invalid base URL without quoting its credentials", () => {
    for (const text of [
      "",
      "api.example.com",
      "https://a.example:99999",
      "https://api.example.com?x=1",
      "HTTPS://API.Example.COM:443",
      "https://bücher.example",
      "https://a.example/%2e%2E/y",
      "https://kim:hush@api.example.com",
      "http://localhost.example.com",
    ]) {
      const { url, problem = "" } = parseBaseUrl(text);
      assert.equal(url, undefined, text);
      assert.doesNotMatch(problem, /kim|hush/);
    }
  });
});

describe("the bypass variable", () => {
  for (const { name, text, bypass } of [
    { name: "ignores an empty bypass reason", text: "", bypass: undefined },
    { name: "ignores a blank bypass reason", text: " \n", bypass: undefined },
    { name: "reads the bypass reason from AGENT_PLATFORM_BYPASS", text: "incident 42", bypass: "incident 42" },
  ]) {
    it(name, () => assert.equal(settings({ baseUrl: BASE }, { AGENT_PLATFORM_BYPASS: text }).bypass, bypass));
  }
});

describe("the access token setting", () => {
  const tokenEnv = "AGENT_PLATFORM_ACCESS_TOKEN";
  it("prefers a token in the environment to one in the config", () => {
    const read = settings({ baseUrl: BASE, accessToken: "from-config" }, { [tokenEnv]: "from-env" });
    assert.deepEqual([read.accessToken, read.tokenSource], ["from-env", "environment"]);
    const config = settings({ baseUrl: BASE, accessToken: "from-config" });
    assert.deepEqual([config.accessToken, config.tokenSource], ["from-config", "config"]);
  });
  it("rejects an access token that is malformed or too short", () => {
    assert.equal(settings({ baseUrl: BASE }, { [tokenEnv]: "abcdefgh\r\n" }).accessToken, "abcdefgh");
    // The provider removes the token from every response, so it rejects short tokens, which could match part of an ID.
    for (const invalid of ["Bearer hush-hush", "hush hush", "hush\u0000hush", "hush-caf\u00e9", "hush"]) {
      assertRefused(problems({ baseUrl: BASE }, { [tokenEnv]: invalid }), ["AGP-013 AGENT_PLATFORM_ACCESS_TOKEN"]);
    }
  });
});

describe("the approvedAgents setting", () => {
  it("rejects an invalid entry in the list of approved agents", () => {
    for (const invalid of ["agent_b@", "agent_b@0x1F", "b@1"]) {
      assertRefused(problems({ baseUrl: BASE, approvedAgents: ["agent_a@1", invalid, "agent_c@3"] }), [
        "AGP-015 agent-platform:approvedAgents[1]",
      ]);
    }
  });
  it("rejects a file path instead of a list of approved agents", () => {
    assertRefused(problems({ baseUrl: BASE, approvedAgents: "agents.yaml" }), [
      "AGP-015 agent-platform:approvedAgents",
    ]);
  });
});
