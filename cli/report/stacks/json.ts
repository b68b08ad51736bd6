import { jsonText } from "../../io";
import { modelJson } from "../json";
import { plain } from "../text";
import type { Review } from "./review";

/** The whole review for other programs, with its sentences as plain text. */
export function reviewToJson({ headline, crossings, notes, stacks, ...review }: Review): string {
  const report = {
    ...review,
    headline: plain(headline),
    crossings: crossings.map(({ title, notes: said, ...crossing }) => ({
      ...crossing,
      title: plain(title),
      notes: said.map(plain),
    })),
    notes: notes.map(plain),
    stacks: stacks.map(({ stack, model, blocking }) => ({ ...modelJson(model, blocking), stack })),
  };
  return jsonText(report);
}
