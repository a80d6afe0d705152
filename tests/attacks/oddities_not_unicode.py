value = "\udc80\udcff"
print(value)
raise ValueError(value)
