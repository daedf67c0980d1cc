/**
 * Names that a person takes for one another, though lists tell them apart: letters of other scripts, full-width and other
 * compatible forms, capital letters.
 */
import { confusableCharacters } from './confusable-characters.ts';

/** Two names look alike where they have one of these in common. */
function looksOf(name: string): readonly string[] {
  const compatible = name.normalize('NFKC');
  const looks = [skeletonOf(compatible), skeletonOf(compatible.toLowerCase())];
  return looks[0] === looks[1] ? looks.slice(1) : looks;
}

/** As Unicode's Technical Standard 39 makes one, section 4. */
function skeletonOf(text: string): string {
  const table = confusableCharacters();
  const shown = [...text.normalize('NFD')].map((character) => table.get(character) ?? character).join('');
  return shown.normalize('NFD');
}

/** Groups of names that look alike, each of different names in the order given. */
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
