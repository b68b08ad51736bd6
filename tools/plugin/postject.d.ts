/** The package has no types of its own. */
declare module "postject" {
  interface Options {
    readonly sentinelFuse: string;
    readonly machoSegmentName?: string;
  }
  export function inject(file: string, resource: string, content: Buffer, options: Options): Promise<void>;
}
