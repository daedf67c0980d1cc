/**
 * Finds names that a person can mistake for one another, although lists treat them as different names. They differ in
 * letters of other scripts, in full-width and other compatibility forms, or in upper case.
 */
import { confusableCharacters } from './confusable-characters.ts';

/** Returns the appearances of a name. Names look alike if they share one of these appearances. */
function looksOf(name: string): readonly string[] {
  const compatible = name.normalize('NFKC');
  const looks = [skeletonOf(compatible), skeletonOf(compatible.toLowerCase())];
  return looks[0] === looks[1] ? looks.slice(1) : looks;
}

/** Returns the skeleton that Unicode Technical Standard 39 defines in section 4. */
function skeletonOf(text: string): string {
  const table = confusableCharacters();
  const shown = [...text.normalize('NFD')].map((character) => table.get(character) ?? character).join('');
  return shown.normalize('NFD');
}

/** Returns groups of names that look alike. A group contains different names, in their given order. */
export function lookAlikes(names: Iterable<string>): readonly (readonly string[])[] {
  const byLook = new Map<string, Set<string>>();
  for (const name of new Set(names)) {
    for (const look of looksOf(name)) {
      const alike = byLook.get(look);
      if (alike === undefined) byLook.set(look, new Set([name]));
      else alike.add(name);
    }
  }
  const groups = [...byLook.values()].filter(({ size }) => size > 1).map((alike) => [...alike]);
  const told = new Set<string>();
  return groups.filter((group) => {
    const key = group.toSorted().join(' ');
    const isNew = !told.has(key);
    told.add(key);
    return isNew;
  });
}
