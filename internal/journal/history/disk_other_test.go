//go:build !linux

package history

func onAFullDisk(string) {}

func onAReadOnlyDisk(string) {}
