import { Config } from "@pulumi/pulumi";
import { NumberGroup } from "pulumi-agent-platform";

// To send every routing again, set a new value: pulumi config set reassert 2
const triggers = { reassert: new Config().get("reassert") ?? "" };

// The stack's config says which agents answer, under agent-platform:rollouts.
const support = new NumberGroup("support", {
  // Each stack's config has different numbers, because two stacks with the same number would overwrite each other.
  numbers: new Config().requireObject<string[]>("numbers"),
  rollout: "front",
  triggers,
});

export const inboundAgents = support.inboundAgents;
