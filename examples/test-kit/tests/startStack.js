const { randomUUID } = require("node:crypto");
const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const { startEmulator } = require("pulumi-agent-platform/emulator");

/** Returns the rollout for the stack's config, with this percentage for the candidate. */
const rolloutAt = (percent) => ({
  value: JSON.stringify({ front: { stable: "agent_front@12", candidate: "agent_front@13", percent } }),
});

/** Starts an emulator and creates a stack of the program. Both are removed when the test ends. */
async function startStack(t, options = {}) {
  // With a fixed seed, IDs and simulated calls are the same in every run.
  const emulator = await startEmulator({ seed: 7, ...options });
  t.after(() => emulator.close());
  const folder = mkdtempSync(join(tmpdir(), "test-kit-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));

  const stackName = `test-${randomUUID()}`;
  const envVars = {
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    AGENT_PLATFORM_BASE_URL: emulator.url,
    AGENT_PLATFORM_ACCESS_TOKEN: emulator.token,
  };
  const program = { stackName, workDir: join(__dirname, "..") };
  const stack = await LocalWorkspace.createStack(program, { pulumiHome: join(folder, "home"), envVars });
  // The stack's state is in the temporary folder, but Pulumi writes its config next to the program.
  t.after(() => rmSync(join(program.workDir, `Pulumi.${stackName}.yaml`), { force: true }));
  await stack.setConfig("agent-platform:rollouts", rolloutAt(10));
  return { stack, emulator };
}

module.exports = { rolloutAt, startStack };
