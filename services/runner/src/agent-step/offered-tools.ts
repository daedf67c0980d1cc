/** The names under which tools are offered to a model. Providers accept fewer characters than Mandate. */
import { LOAD_SKILL } from './skills.ts';

const LONGEST = 64;

/** Returns the offered name of each tool. Equal lists get equal names, so a resumed step uses the same names. */
export function offeredNames(tools: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set([LOAD_SKILL]);
  const names = new Map<string, string>();
  // A valid name stays unchanged, even if another tool would be changed to this name.
  const isPlain = (tool: string) => /^[\w-]{1,64}$/.test(tool) && tool !== LOAD_SKILL;
  for (const tool of tools.filter(isPlain)) {
    taken.add(tool);
    names.set(tool, tool);
  }
  for (const tool of tools.filter((one) => !isPlain(one))) {
    const plain = tool.replace(/[^\w-]/g, '_').slice(0, LONGEST) || '_';
    let name = plain;
    for (let number = 2; taken.has(name); number += 1) {
      const end = `_${number}`;
      name = plain.slice(0, LONGEST - end.length) + end;
    }
    taken.add(name);
    names.set(tool, name);
  }
  return names;
}
