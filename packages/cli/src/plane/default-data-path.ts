/** Where a plane keeps everything when nobody says where: below the folder that the command is run in. */
export const DEFAULT_DATA_PATH = '.mandate';
