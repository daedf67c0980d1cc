/** The constants of the Redis scripts, from the tables of packages/step and the layout of the Redis store. */
import { luaConstants } from '@mandate/ledger/lua-constants';
import type { GeneratedFile } from './generated-file.ts';

export const luaConstantsFile: GeneratedFile = {
  path: 'packages/ledger/src/redis/scripts/parts/constants.lua',
  make: () => luaConstants(),
};
