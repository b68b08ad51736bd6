import { liveEachReading } from "./profileLives";

describe("a platform that reads the interface otherwise than a single number expects", () => {
  liveEachReading("numberAssignment");
});
