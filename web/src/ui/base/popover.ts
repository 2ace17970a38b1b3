/** The least distance between anything that floats and the window's edge. */
export const popoverOverflowPaddingPx = 8;
