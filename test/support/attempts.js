/** `--require`d by providers of the tests: how often they send one operation. Users have no setting for it. */
require("../../dist/provider/engine/world.js").systemWorld.attempts = Number(process.env.TEST_ATTEMPTS);
