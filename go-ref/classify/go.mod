module kubehash.invalid/classify

go 1.21
