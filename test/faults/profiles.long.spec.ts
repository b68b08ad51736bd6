import { liveEachReading } from "./profileLives";

describe("a platform that reads the interface otherwise than a single number expects", () => {
  liveEachReading("numberAssignment", "whole");
});

describe("a platform that reads the interface otherwise than a group of numbers expects", () => {
  liveEachReading("numberGroup", "whole");
});
