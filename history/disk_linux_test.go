package history

func onAFullDisk(folder string) {}
func onAReadOnlyDisk(folder string) {}
