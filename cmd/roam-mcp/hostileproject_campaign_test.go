//go:build linux && campaign

package main

// hostileProjects is the number of folders that TestAProjectsFilesStartNothing makes, and
// hostileClients that of the clients which are installed in each.
const (
	hostileProjects = 300
	hostileClients  = 9
)
