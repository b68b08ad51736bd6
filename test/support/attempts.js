/**
 * Tests load this file into providers with `--require`, to limit the attempts per operation. Users have no setting for
 * it.
 */
require("../../dist/provider/engine/world.js").systemWorld.attempts = Number(process.env.TEST_ATTEMPTS);
