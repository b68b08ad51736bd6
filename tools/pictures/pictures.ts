import { commentPicture } from "./comment";
import { conceptsPicture } from "./concepts";

/** Every picture of the docs that needs nothing but its script, by its file. */
export const PICTURES: Readonly<Record<string, () => string>> = {
  "docs/pictures/comment.svg": commentPicture,
  "docs/pictures/concepts.svg": conceptsPicture,
};
