import { Config } from "@pulumi/pulumi";
import { NumberGroup } from "pulumi-agent-platform";

// A new value sends every routing again. The pipeline's Re-assert sets it.
const triggers = { reassert: new Config().get("reassert") ?? "" };

// Who answers is in the stack's config, under agent-platform:rollouts.
const support = new NumberGroup("support", {
  numbers: {
    "+15551230001": "London support",
    "+15551230002": "Berlin support",
  },
  rollout: "front",
  triggers,
});

export const split = support.inboundAgents;
