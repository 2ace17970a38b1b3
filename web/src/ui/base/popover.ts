/** The minimum distance between a popover and the edge of the window. */
export const popoverOverflowPaddingPx = 8;
