// Package alltest holds each profile to what is so in all of them, over graphs that are made
// at random: pages are hit by what is printed of them (names), texts are seen and written
// back byte for byte (visible), each answer is of the graph as it is now (refresh), and a block
// keeps all but what was changed of it (identity), whatever somebody did meanwhile.
package alltest
