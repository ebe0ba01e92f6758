//go:build linux && !campaign

package main

// hostileProjects is the number of folders that TestAProjectsFilesStartNothing makes, and
// hostileClients that of the clients which are installed in each: in a campaign 300 and 9.
const (
	hostileProjects = 1
	hostileClients  = 4
)
