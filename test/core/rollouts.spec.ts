import assert from "node:assert/strict";
import { UNKNOWN } from "../../provider/core/common/schemas";
import { readSettings } from "../../provider/core/config/readSettings";
import { NO_NAME, resolveName } from "../../provider/core/routing/rollouts";

const STEP = { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 };
const ABORT = { agent: "agent_front@13", percent: 50, at: "2026-11-23T09:02:11Z" };

function read(rollouts: unknown) {
  const settings = readSettings({
    get: (key) => ({ baseUrl: "https://platform.example", rollouts })[key],
    env: {},
    readApproved: () => "",
  });
  return "problems" in settings ? settings.problems.map(({ text }) => text) : settings.settings.rollouts;
}

describe("the setting rollouts", () => {
  it("has rollouts by name, as text or as an object, with what only promote reads", () => {
    const all = {
      front: { ...STEP, promote: { after: "canary:front", minSoak: "24h" } },
      night: { stable: "agent_night" },
    };
    assert.deepEqual(read(JSON.stringify(all)), all);
    assert.deepEqual(read(all), all);
    assert.deepEqual(read({ front: { stable: "agent_front@12", aborted: ABORT } }), {
      front: { stable: "agent_front@12", aborted: ABORT },
    });
    assert.deepEqual(read({ front: { stable: "agent_front@12", candidate: null, percent: null } }), {
      front: { stable: "agent_front@12" },
    });
    assert.deepEqual(read({}), {});
    assert.equal(read(undefined), undefined);
  });

  for (const [rollouts, ...rules] of [
    ["front", " must be a map from names to rollouts."],
    [[STEP], " must be a map from names to rollouts."],
    [{ front: "agent_front@12" }, ".front must be an object { stable, candidate, percent }."],
    [{ front: {} }, ".front.stable must be given."],
    [{ "1st": STEP }, "[…] must be a name: a letter, then letters, digits, `-` and `_`, at most 64 characters."],
    ...["10%", -1, 101, [10]].map(
      (percent) => [{ front: { ...STEP, percent } }, ".front.percent must be a number from 0 to 100."] as const,
    ),
    [{ front: { ...STEP, candidate: STEP.stable } }, ".front.candidate must be another agent than stable."],
    [{ front: { ...STEP, percent: null } }, ".front.percent must be given if there is a candidate."],
    [{ front: { stable: "agent_front@new" } }, ".front.stable must be an agent, as in `agent_front@12`."],
    [{ front: { ...STEP, since: 1 } }, ".front has no argument `since`."],
    [
      { front: { stable: "agent_front@12", percent: 1 } },
      ".front.percent needs a candidate: without one, all calls go to the stable agent.",
    ],
    [
      { front: { ...STEP, aborted: ABORT } },
      ".front.aborted must go if another candidate starts: `promote --to` removes it.",
    ],
    [
      { front: { stable: "agent_a", aborted: { ...ABORT, at: "today" } } },
      ".front.aborted.at must be a time in UTC, as in 2026-01-31T09:02:11Z.",
    ],
    [
      { front: { ...STEP, promote: { minSoak: "1 day" } } },
      ".front.promote.minSoak must be a duration, as in 30m, 24h or 7d.",
    ],
    [
      { front: { ...STEP, promote: { after: "a b" } } },
      ".front.promote.after must be a stack of this project, as in `canary`, or `canary:front` with its rollout.",
    ],
    [
      { front: { stable: "front" }, night: { stable: "night" } },
      ".front.stable must be an agent, as in `agent_front@12`.",
      ".night.stable must be an agent, as in `agent_front@12`.",
    ],
  ] as const) {
    it(`refuses ${JSON.stringify(rollouts)}`, () =>
      assert.deepEqual(
        read(rollouts),
        rules.map((rule) => `agent-platform:rollouts${rule}`),
      ));
  }
});

describe("the name of a rollout", () => {
  const all = { front: { ...STEP, promote: { minSoak: "24h" } }, night: { stable: "agent_night@4" } };

  it("stands for what the setting has, without what promote reads", () => {
    assert.deepEqual(resolveName("front", undefined, all), { rollout: { name: "front", ...STEP } });
    assert.deepEqual(resolveName(UNKNOWN, undefined, all), { rollout: UNKNOWN });
  });

  it("is refused if the setting has no such name, with those that it has", () => {
    const ruleOf = (name: string, given = all) => resolveName(name, undefined, given).problem?.rule;
    assert.equal(
      ruleOf("frnt"),
      'names "frnt", which is not in agent-platform:rollouts (did you mean "front"?): there are "front", "night"',
    );
    assert.equal(
      ruleOf("toString"),
      'names "toString", which is not in agent-platform:rollouts: there are "front", "night"',
    );
    assert.equal(
      resolveName("front", undefined).problem?.rule,
      "names \"front\", which is not in agent-platform:rollouts: the setting is empty. Run `pulumi config set --path 'agent-platform:rollouts.front.stable' <agent>@<version>`",
    );
  });

  it("is all that a program writes: an object comes from an earlier check, or from ignoreChanges", () => {
    const saved = { name: "front", ...STEP };
    for (const written of [saved, STEP, { stable: UNKNOWN }, {}]) {
      assert.deepEqual(resolveName(written, undefined, all), { rollout: NO_NAME });
    }
    assert.deepEqual(resolveName(saved, { ...saved }, all), { rollout: saved });
    assert.deepEqual(resolveName(saved, undefined, all, true), { rollout: saved });
  });
});
