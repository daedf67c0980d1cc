/** The hash of a tool as its server lists it, so that a manifest can pin the tool. */
import { digestOf } from '@mandate/policy/parts';

type ListedTool = { name: string; description?: string | undefined; inputSchema: object };

/** Returns 64 hex digits. A tool without a description is hashed without this member. */
export function toolHash({ name, description, inputSchema }: ListedTool): string {
  return digestOf({ name, description, inputSchema });
}
