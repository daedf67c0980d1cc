import { canonicalJson } from '../../digest.ts';
import { describeSeen } from '../argument-fault.ts';
import { pointerTo } from '../every-string.ts';
import { FIELD_NAMES, stringsOfFields, stringsOfValues } from '../judged-strings.ts';
import type { NamedValidator } from '../named-validator.ts';
import { type Folder, isInside, isWithin, readFolder } from './within.ts';

/**
 * Accepts only paths into the given folders: each checked string must be one path in one of the folders. If `fields`
 * is given, the strings in fields with these names are checked; otherwise every string of the arguments.
 *
 * A folder is written from the root (`/srv/data`), from a drive (`C:\data`), or relative to the tool's working folder
 * (`data`, or `.` for that folder itself). A path must have the same form as its folder. Spellings that programs read
 * in different ways are refused: every `..`, because after a link it leaves the folder; URLs; percent-encoding; names
 * that begin with a blank or end with a dot; special characters of shells. The validator cannot see links within a
 * folder.
 */
export const paths: NamedValidator = {
  describe: 'paths in these folders only: { paths: { within: [/srv/data], fields: [path] } }',
  parameters: {
    type: 'object',
    required: ['within'],
    additionalProperties: false,
    properties: {
      within: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: { type: 'string', minLength: 1, maxLength: 1_000 },
      },
      fields: FIELD_NAMES,
    },
  },
  parametersRequired: true,
  faultOf(parameters) {
    const wrong = (parameters as Parameters).within.find((folder) => readFolder(folder) === null);
    return wrong === undefined ? null : `${JSON.stringify(wrong)} is no plain path of a folder`;
  },
  narrows(before, after) {
    const [was, is] = [before as Parameters, after as Parameters];
    const outer = foldersOf(was);
    const isSame = canonicalJson(was.fields ?? null) === canonicalJson(is.fields ?? null);
    return isSame && foldersOf(is).every((folder) => outer.some((one) => isInside(one, folder)));
  },
  create(parameters) {
    const { within, fields } = parameters as Parameters;
    const folders = foldersOf({ within });
    const judged = stringsOfFields(fields, stringsOfValues);
    const expected = `a plain path in ${within.join(' or ')}, without ".."`;
    return (args, stepBudget) => {
      const outside = judged(args, stepBudget).find(({ text }) => !isWithin(folders, text));
      if (outside === undefined) return null;
      return { pointer: pointerTo(outside), expected, seen: describeSeen(outside.text), rule: 'paths' };
    };
  },
};

type Parameters = { within: readonly string[]; fields?: readonly string[] };

function foldersOf({ within }: Parameters): readonly Folder[] {
  return within.map(readFolder).filter((folder): folder is Folder => folder !== null);
}
